/** Which files an expression of find can reach. What is not understood may be true or not, so that no file is missed. */
import { SECRET_SAMPLES } from '../file-names.js';
import type { TreeEntry } from '../tree.js';
import { mayMatch, wildcard, type Wildcard } from '../wildcards.js';
import type { Arg } from '../words.js';
import { WITH_VALUE } from './find.js';

export interface FindCall {
  /** Where it starts; the folder itself when the line names none. */
  readonly starts: readonly Arg[];
  /** The tests that go by name. */
  readonly names: readonly { readonly test: string; readonly arg: Arg }[];
  readonly maxDepth: number;
  readonly expression: Expression;
  /** Whether an action stands in the expression; without one find prints. */
  readonly acts: boolean;
}

type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly inner: Expression }
  | { readonly kind: 'name' | 'path'; readonly pattern: Wildcard; readonly ignoresCase: boolean }
  | { readonly kind: 'type'; readonly letters: readonly string[] }
  | { readonly kind: 'act' | 'always' | 'unknown' };

/** True, false, or nobody knows. */
type Truth = boolean | null;

const HERE: Arg = {
  kind: 'literal',
  value: '.',
  span: { start: 0, end: 0, text: '.' },
  quoted: false,
  trouble: null,
};

/** Reads the words behind `find`. */
export function parseFind(words: readonly Arg[]): FindCall {
  const from = words.findIndex(({ value }) => /^-(?![HLP]$)|^[!(),]$/.test(value));
  const head = from < 0 ? words : words.slice(0, from);
  const starts = head.filter(({ value }) => !/^-[HLP]$/.test(value));
  const tests = from < 0 ? [] : words.slice(from);
  const depth = tests.findIndex(({ value }) => value === '-maxdepth');
  const maxDepth = depth < 0 ? Infinity : Number(tests[depth + 1]?.value ?? Infinity);
  const names = tests.flatMap((arg, at) => {
    const test = tests[at - 1]?.value ?? '';
    return /^-i?(name|path|wholename|regex)$/.test(test) ? [{ test, arg }] : [];
  });
  return {
    starts: starts.length === 0 ? [HERE] : starts,
    names,
    maxDepth: Number.isNaN(maxDepth) ? Infinity : maxDepth,
    expression: new Reader(tests).all(),
    acts: tests.some(({ value }) => /^-(exec\w*|ok\w*|print\w*|ls|f\w+)$/.test(value)),
  };
}

class Reader {
  private at = 0;
  constructor(private readonly words: readonly Arg[]) {}

  all(): Expression {
    if (this.words.length === 0) return { kind: 'always' };
    const whole = this.or();
    // A comma, or a bracket too many: whatever comes behind may find anything.
    return this.at < this.words.length ? { kind: 'or', left: whole, right: { kind: 'unknown' } } : whole;
  }

  private next(): string | undefined {
    return this.words[this.at]?.value;
  }

  private or(): Expression {
    let left = this.and();
    while (/^-or?$/.test(this.next() ?? '')) {
      this.at += 1;
      left = { kind: 'or', left, right: this.and() };
    }
    return left;
  }

  private and(): Expression {
    let left = this.not();
    while (this.next() !== undefined && !/^(-or?|\)|,)$/.test(this.next() ?? '')) {
      if (/^-a(nd)?$/.test(this.next() ?? '')) this.at += 1;
      left = { kind: 'and', left, right: this.not() };
    }
    return left;
  }

  private not(): Expression {
    const word = this.next();
    this.at += 1;
    if (word === '!' || word === '-not') return { kind: 'not', inner: this.not() };
    if (word === '(') {
      const inner = this.or();
      this.at += 1;
      return inner;
    }
    return this.test(word ?? '');
  }

  private test(word: string): Expression {
    if (/^-(exec|execdir|ok|okdir)$/.test(word)) {
      while (this.next() !== undefined && this.next() !== ';' && !this.endsByPlus()) this.at += 1;
      this.at += 1;
      return { kind: 'act' };
    }
    if (/^-(print0?|ls)$/.test(word)) return { kind: 'act' };
    if (/^-(true|prune|depth|d|xdev|mount|daystart|noleaf|maxdepth|mindepth)$/.test(word)) {
      if (word.endsWith('mindepth') || word.endsWith('maxdepth')) this.at += 1;
      return { kind: 'always' };
    }
    if (!WITH_VALUE.has(word) && !/^-([ac]?newer|samefile|newer\w\w)$/.test(word)) return { kind: 'unknown' };
    const value = this.next() ?? '';
    this.at += 1;
    if (/^-i?name$/.test(word)) return named('name', word, value);
    if (/^-i?(path|wholename)$/.test(word)) return named('path', word, value);
    return word === '-type' ? { kind: 'type', letters: value.split(',') } : { kind: 'unknown' };
  }

  private endsByPlus(): boolean {
    return this.next() === '+' && this.words[this.at - 1]?.value === '{}';
  }
}

function named(kind: 'name' | 'path', word: string, value: string): Expression {
  const ignoresCase = word.startsWith('-i');
  return { kind, pattern: wildcard(ignoresCase ? value.toLowerCase() : value), ignoresCase };
}

/** Whether find may hand the entry on. `start` is as the line has it: find puts it in front of what it finds. */
export function isReachedBy(call: FindCall, entry: TreeEntry, start: string): boolean {
  const depth = entry.relative === '' ? 0 : entry.relative.split('/').length;
  if (depth > call.maxDepth) return false;
  const file: File = {
    name:
      entry.relative === ''
        ? (start
            .replace(/(?<=.)\/+$/, '')
            .split('/')
            .at(-1) ?? '')
        : entry.name,
    path: entry.relative === '' ? start : `${start.replace(/\/+$/, '')}/${entry.relative}`,
    letter: { file: 'f', folder: 'd', link: 'l', other: '' }[entry.kind],
    isReached: false,
  };
  const truth = evaluate(call.expression, file);
  return call.acts ? file.isReached : truth !== false;
}

interface File {
  readonly name: string;
  readonly path: string;
  readonly letter: string;
  /** Whether an action may have been done with it. */
  isReached: boolean;
}

function evaluate(expression: Expression, file: File): Truth {
  switch (expression.kind) {
    case 'and': {
      const left = evaluate(expression.left, file);
      if (left === false) return false;
      const right = evaluate(expression.right, file);
      return left === true ? right : right === false ? false : null;
    }
    case 'or': {
      const left = evaluate(expression.left, file);
      if (left === true) return true;
      const right = evaluate(expression.right, file);
      return left === false ? right : right === true ? true : null;
    }
    case 'not': {
      const inner = evaluate(expression.inner, file);
      return inner === null ? null : !inner;
    }
    case 'name':
    case 'path': {
      const text = file[expression.kind];
      if (expression.pattern === null) return null;
      return mayMatch(expression.pattern, expression.ignoresCase ? text.toLowerCase() : text);
    }
    case 'type':
      return file.letter === '' ? null : expression.letters.includes(file.letter);
    case 'act':
      file.isReached = true;
      return null;
    case 'always':
      return true;
    case 'unknown':
      return null;
  }
}

/** The pattern by which a search would find a secret, were there one; null when it names none. */
export function mayReachSecret(call: FindCall): Arg | null {
  for (const { test, arg } of call.names) {
    // Whoever writes a regular expression can say what it finds.
    if (test.endsWith('regex')) return arg;
    const pattern = wildcard(arg.value);
    for (const { value: start } of call.starts) {
      const isMeant = SECRET_SAMPLES.some((name) => {
        const isNamed = [name, `${start}/${name}`].some((text) => mayMatch(pattern, text));
        return (
          isNamed &&
          isReachedBy(call, { path: name, relative: name, name, kind: 'file', place: 'inside' }, start)
        );
      });
      if (isMeant) return arg;
    }
  }
  return null;
}

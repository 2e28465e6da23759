/**
 * Puts the files that a pattern stands for in its place, as the shell will. What programs make of such words (a second
 * operand that they write, a flag, a link) is then judged like any other word. A pattern that cannot be followed stays one.
 */
import type { LineState } from './line-state.js';
import { joinPath } from './paths.js';
import { finding, type Finding } from './rules.js';
import type { CommandContext, FileEntry } from './types.js';
import { isWild, mayMatch, plainName, wildcard } from './wildcards.js';
import type { Arg } from './arg.js';

/** More in one line are left to people: nobody reads what such a line does. */
const MAX_WORDS = 1_000;

/** The words behind a program's name as the program will get them. */
export function expandWords(args: readonly Arg[], state: LineState): readonly Arg[] {
  if (!state.context.seesFiles) return args;
  return args.flatMap((arg) =>
    arg.kind === 'glob' && arg.search === undefined ? expand(arg, state) : [arg],
  );
}

function expand(arg: Arg, state: LineState): Arg[] {
  const names = new Set<string>();
  for (const folder of state.folders) {
    const matches = state.expanded > MAX_WORDS ? unclear(arg) : matchesIn(folder, arg, state.context);
    if (!Array.isArray(matches)) return [{ ...arg, kind: 'unknown', trouble: matches }];
    for (const match of matches) names.add(match);
    state.expanded += matches.length;
  }
  // A pattern without any match is a word like others.
  const words = names.size === 0 ? [arg.value] : [...names].sort();
  const { span } = arg;
  return words.map((value) => ({ kind: 'literal', value, span, quoted: false, trouble: null }));
}

function unclear({ span }: Arg): Finding {
  return finding('subset.glob', `It is not clear which files ${span.text} names.`, span);
}

interface Reached {
  /** As the program gets it. */
  readonly text: string;
  readonly path: string;
}

/** The words for a pattern in one folder, or what speaks against following it. */
function matchesIn(folder: string, arg: Arg, context: CommandContext): string[] | Finding {
  const pattern = arg.pattern ?? '';
  const parts = pattern.split('/');
  if (parts.includes('..')) return unclear(arg);
  let reached: Reached[] = [{ text: '', path: pattern.startsWith('/') ? '' : folder }];
  for (const [at, part] of parts.entries()) {
    const end = at === parts.length - 1 ? '' : '/';
    const next: Reached[] = [];
    for (const from of reached) {
      if (part === '' || !isWild(part)) {
        if (end === '/' || exists(from, part, context)) next.push(withName(from, plainName(part), end));
        continue;
      }
      const view = entriesFor(from, arg, context);
      if ('rule' in view) return view;
      const names = namesMatching(part, view);
      if (names === null) return unclear(arg);
      next.push(...names.map((name) => withName(from, name, end)));
      if (next.length > MAX_WORDS) return unclear(arg);
    }
    reached = next;
  }
  return reached.map(({ text }) => text);
}

/** What a pattern is matched with in a folder; the shell tells the names of it, whatever a program then does with them. */
function entriesFor(
  { text, path }: Reached,
  arg: Arg,
  context: CommandContext,
): readonly FileEntry[] | Finding {
  const folder = path === '' ? '/' : path;
  const place = context.placeOf(folder);
  if (place === 'outside') return finding('path.outside', `${text} leads out of the workspace.`, arg.span);
  if (place === 'hidden') return finding('path.hidden', `${text} is hidden from agents.`, arg.span);
  const view = context.look(folder);
  if (view === 'unknown') return unclear(arg);
  return typeof view === 'string' ? [] : view;
}

function withName({ text, path }: Reached, name: string, end: string): Reached {
  return {
    text: `${text}${name}${end}`,
    path: name === '' ? path : joinPath(path === '' ? '/' : path, name),
  };
}

function exists({ path }: Reached, part: string, { look }: CommandContext): boolean {
  const view = look(path);
  if (typeof view === 'string') return view === 'unknown';
  // Behind a slash at the end only a folder is meant.
  return part === '' || view.some(({ name }) => name === plainName(part));
}

function namesMatching(part: string, view: readonly FileEntry[]): string[] | null {
  const pattern = wildcard(part);
  // A name that is no text leads nowhere as a path.
  if (pattern === null || view.some(({ name }) => name.includes('\uFFFD'))) return null;
  const isDotted = part.startsWith('.') || part.startsWith('\\.');
  // Some shells count the folder itself and the one above.
  const names = [...(isDotted ? ['.', '..'] : []), ...view.map(({ name }) => name)];
  return names.filter((name) => name.startsWith('.') === isDotted && mayMatch(pattern, name));
}

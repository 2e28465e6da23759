/** Words that a search puts into a command: `find -exec … {}`, and `find … | xargs …`. */
import type { Input } from './judge-call.js';
import type { LineState, PartRecord } from './line-state.js';
import { joinPath } from './paths.js';
import { isReachedBy, mayReachSecret, parseFind, type FindCall } from './programs/find-expression.js';
import { finding } from './rules.js';
import { judgeTree, treeOf, type TreeEntry } from './tree.js';
import type { Span } from './types.js';
import type { Arg, FoundFiles } from './words.js';

/** The command behind `-exec`, with what find found in place of `{}`. */
export function foundBySearch(inner: readonly Arg[], words: readonly Arg[], state: LineState): Arg[] {
  const call = parseFind(words);
  const isMany = words[words.indexOf(inner.at(-1) as Arg) + 1]?.value === '+';
  return inner.map((arg) => {
    if (arg.value === '{}') return foundArg(call, arg.span, { isMany, mayBeNone: false }, state);
    if (!arg.value.includes('{}')) return arg;
    const trouble = finding('subset.expansion', 'find puts a file name into this word.', arg.span);
    return { ...arg, kind: 'unknown', trouble };
  });
}

/** What xargs adds when a search feeds it; null when its words can be any. */
export function foundByInput(words: readonly Arg[], input: Input, span: Span, state: LineState): Arg | null {
  const [search, ...filters] = input.upstream;
  if (search?.program !== 'find' || search.findings.length > 0 || !filters.every(isFilter)) return null;
  const flags = words.slice(
    0,
    words.findIndex(({ value }) => !/^-|^\d+$/.test(value)),
  );
  if (
    !/^(-(0|r|0r|r0|null|n ?\d+|P ?\d+|-null|-no-run-if-empty) ?)*$/.test(
      flags.map(({ value }) => value).join(' '),
    )
  )
    return null;
  const given = search.args.slice(1);
  if (given.some(({ kind }) => kind !== 'literal')) return null;
  const texts = given.map(({ value }) => value);
  if (texts.some((text) => /^-(printf|ls|exec\w*|ok\w*|f(print|ls).*)$/.test(text))) return null;
  const endsByNul = flags.some(({ value }) => /0|null/.test(value));
  if (
    endsByNul !== texts.includes('-print0') ||
    (endsByNul && (filters.length > 0 || texts.includes('-print')))
  )
    return null;
  const call = parseFind(given);
  if (!endsByNul && !areWholeWords(call, state)) return null;
  const skipsNone = flags.some(({ value }) => /r$|no-run-if-empty/.test(value) || value === '-r0');
  return foundArg(call, span, { isMany: true, mayBeNone: !skipsNone }, state);
}

/** Programs between find and xargs that leave lines out and change none. */
function isFilter({ program, args, findings }: PartRecord): boolean {
  if (findings.length > 0 || args.some(({ kind }) => kind !== 'literal')) return false;
  const words = args.slice(1).map(({ value }) => value);
  const flags = words.filter((word) => word.startsWith('-')).join(' ');
  const plain = words.filter((word) => !word.startsWith('-'));
  if (program === 'grep') return plain.length === 1 && /^(-[vEFiwPe]+ ?)*$/.test(flags);
  if (program === 'head' || program === 'tail')
    return /^(-n|-\d+)?$/.test(flags) && plain.every((word) => /^\d+$/.test(word));
  return (program === 'sort' || program === 'uniq') && plain.length === 0 && /^(-[rnuV]+ ?)*$/.test(flags);
}

/** Blanks, quotes and backslashes in a name make other words of it. */
function areWholeWords(call: FindCall, state: LineState): boolean {
  const starts = call.starts.every(({ value }) => /^[\w./-]+$/.test(value));
  if (!state.context.seesFiles) return starts;
  const paths = pathsOf(call, state);
  return starts && paths !== null && paths.every((path) => !/[\s'"\\]/.test(path));
}

function foundArg(
  call: FindCall,
  span: Span,
  { isMany, mayBeNone }: { readonly isMany: boolean; readonly mayBeNone: boolean },
  state: LineState,
): Arg {
  const found: FoundFiles = {
    mayBeNone,
    judgeRead: (isDeep) => judgeRead(call, span, isDeep, state),
    paths: () => pathsOf(call, state),
  };
  // It begins with the folder that find starts in, so it is never a flag.
  return { kind: 'glob', value: './*', span, quoted: false, trouble: null, isOpen: isMany, found };
}

function judgeRead(call: FindCall, span: Span, isDeep: boolean, state: LineState) {
  const secret = mayReachSecret(call);
  if (secret !== null)
    return finding('dangerous.credentials', `${secret.value} may find secrets.`, secret.span);
  for (const { value } of call.starts) {
    const selects = (entry: TreeEntry) => isDeep || isReachedBy(call, entry, value);
    const found = judgeTree(value, { followsLinks: true, selects }, span, state);
    if (found !== null) return found;
  }
  return null;
}

/** The files, relative to the folder of the line, as far as they can be known. */
function pathsOf(call: FindCall, { folders, context }: LineState): string[] | null {
  if (!context.seesFiles) return null;
  const paths: string[] = [];
  for (const { value } of call.starts) {
    for (const folder of folders) {
      const entries = treeOf(joinPath(folder, value), context);
      if (entries === null) return null;
      const reached = entries.filter((entry) => isReachedBy(call, entry, value));
      paths.push(...reached.map(({ relative }) => (relative === '' ? value : `${value}/${relative}`)));
    }
  }
  return paths;
}

/** Words that xargs and the like add from their input. */
export function comesLater(span: Span): Arg {
  const trouble = finding('subset.expansion', 'More arguments come from the input.', span);
  return { kind: 'unknown', value: '', span, quoted: false, trouble, isOpen: true };
}

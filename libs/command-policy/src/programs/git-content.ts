/** What git shows of the contents that it keeps: no secret, and nothing hidden, of whatever revision. */
import { isSecret } from '../file-names.js';
import type { LineState } from '../line-state.js';
import { joinPath, judgePath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import type { ProgramUse } from '../schema/program-schema.js';
import type { Arg } from '../words.js';

const PATCH =
  /^(-p|-u|-U|-S|-G|-L|-c|--cc|-W|--patch|--unified|--function-context|--word-diff|--color-words)$/;
const SUMMARY =
  /^(-s|-q|--stat|--shortstat|--numstat|--dirstat|--compact-summary|--summary|--raw|--name-only|--name-status|--no-patch|--quiet)$/;

/** Findings on a command of git that may print what files held. */
export function judgeShownContent(use: ProgramUse): Finding[] {
  const named = [...judgeLines(use), ...judgeAddresses(use)];
  if (!showsContent(use) || isAboutPaths(use)) return named;
  const { state, part } = use;
  const kept = state.context.gitPaths();
  if (kept === null)
    return [...named, finding('path.unseen', 'It is not clear what this repository contains.', part.span)];
  const limits = pathsOf(use);
  const shown = kept.find((path) => isKeptFromAgents(path, use) && isWithin(path, limits, state));
  if (shown === undefined) return named;
  const message = `The repository contains ${shown}, which agents may not read; limit git to other paths after --.`;
  return [...named, finding('dangerous.credentials', message, part.span)];
}

/** The addresses of remotes stand in the settings, some with a password in them. */
function judgeAddresses({ program, operands, flags, part, state }: ProgramUse): Finding[] {
  const names = [...operands, ...flags].map(({ value }) => value ?? '');
  const isAboutRemotes =
    program.startsWith('git remote') ||
    (program === 'git config' && names.some((name) => /^(remote|url)\./i.test(name)));
  if (!isAboutRemotes || !state.context.seesFiles) return [];
  if (state.context.holdsNoCredentials(joinPath(state.context.root, '.git/config'))) return [];
  return [finding('dangerous.credentials', 'The address of a remote may include a password.', part.span)];
}

/** `git log -L 1,5:file` */
function judgeLines({ flags, state }: ProgramUse): Finding[] {
  return flags.flatMap(({ name, value, arg }) => {
    if (name !== '-L' || value?.includes(':') !== true) return [];
    const found = judgePath(arg, value.slice(value.lastIndexOf(':') + 1), 'read', state);
    return found === null ? [] : [found];
  });
}

function showsContent({ program, flags, operands }: ProgramUse): boolean {
  const names = flags.map(({ name }) => name);
  const isPatch = names.some((name) => PATCH.test(name));
  const isSummary = names.some((name) => SUMMARY.test(name));
  switch (program.split(' ').at(-1)) {
    case 'diff':
    case 'show':
    case 'grep':
      return isPatch || !isSummary;
    case 'cat-file':
      // What goes by a name is a commit or a tree; only an id may be that of a file.
      return names.includes('-p') && operands.some(({ value }) => /^[\da-f]{4,}$/i.test(value));
    case 'status':
      return names.some((name) => /^(-v|--verbose)$/.test(name));
    case 'diff-tree':
    case 'diff-index':
    case 'diff-files':
    case 'list':
    case 'log':
    case 'whatchanged':
    case 'reflog':
      return isPatch;
    default:
      return false;
  }
}

/** `git show HEAD:src/a.ts`: the operands are what is shown, and were judged as such. */
function isAboutPaths({ program, operands }: ProgramUse): boolean {
  return program.endsWith('show') && operands.length > 0 && operands.every(({ value }) => /.:./.test(value));
}

/** The paths to which the line limits git; null: to none, or to some that git alone can tell. */
function pathsOf({ program, flags, operands, beforeDashes, state }: ProgramUse): readonly string[] | null {
  if (flags.some(({ name }) => name === '--full-diff')) return null;
  const isPath = ({ value }: Arg): boolean =>
    !value.includes(':') && state.context.look(joinPath(state.context.root, value)) !== 'missing';
  const words = program.endsWith('grep') ? operands.slice(1) : operands;
  const paths = beforeDashes === null ? words.filter(isPath) : operands.slice(beforeDashes);
  const isPlain = paths.every(
    ({ kind, value }) => kind === 'literal' && /^[^:*?[\\]+$/.test(value) && !value.split('/').includes('..'),
  );
  return paths.length === 0 || !isPlain
    ? null
    : paths.map(({ value }) => value.replace(/^(\.\/)+|\/+$/g, ''));
}

function isWithin(path: string, limits: readonly string[] | null, { context }: LineState): boolean {
  if (limits === null) return true;
  return limits.some((limit) => {
    if (limit === '.' || path === limit || path.startsWith(`${limit}/`)) return true;
    // Of older trees only the last name is known: it may have been in any folder.
    return path.startsWith('**/') && context.look(joinPath(context.root, limit)) !== 'file';
  });
}

function isKeptFromAgents(path: string, { state: { context } }: ProgramUse): boolean {
  const full = joinPath(context.root, path);
  return (isSecret(path) && !context.holdsNoCredentials(full)) || context.placeOf(full) === 'hidden';
}

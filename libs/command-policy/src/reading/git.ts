/** What git needs besides harmless words: settings of the repository that run nothing, and no secret among what it shows. */
import { isSecret } from '../file-names.js';
import type { LineState } from '../line-state.js';
import { joinPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import type { Span } from '../types.js';
import type { ReadArgs } from './read-args.js';
import type { Row } from './table.js';

export interface GitUse {
  readonly name: string;
  readonly read: ReadArgs;
  readonly row: Row;
  readonly state: LineState;
  readonly span: Span;
}

/** What speaks against a git command that reads; nothing for one that only reads the work of its own repository. */
export function judgeGit({ name, read, row, state, span }: GitUse): Finding[] {
  const { context, folders } = state;
  if (name === 'git') return [];
  const root = context.root.replace(/\/+$/, '');
  const isElsewhere = folders.some((folder) => folder.replace(/\/+$/, '') !== root);
  // In another folder git goes by the settings of whatever repository is there.
  if (isElsewhere || !context.gitRunsNothing())
    return [finding('git.settings', `The settings of the repository may run programs in ${name}.`, span)];
  const isAddress = name === 'git remote' || read.operands.some(({ value }) => value.startsWith('remote.'));
  if (isAddress && context.seesFiles && !context.holdsNoCredentials(joinPath(root, '.git/config')))
    return [finding('dangerous.credentials', 'The address of a remote may include a password.', span)];
  const showsContent = row.isDeep || read.flags.some(({ flag }) => flag.isDeep);
  const onlyNames = !name.endsWith('grep') && !name.endsWith('blame') && read.flags.some(isSummary);
  if (!showsContent || (onlyNames && !read.flags.some(isPatch))) return [];
  const kept = context.gitPaths();
  if (kept === null) return [finding('path.unseen', 'It is not clear what this repository contains.', span)];
  const limits = limitsOf(read);
  const shown = kept.find((path) => isKeptFromAgents(path, state) && isWithin(path, limits, state));
  if (shown === undefined) return [];
  const message = `The repository contains ${shown}, which agents may not read; limit git to other paths after --.`;
  return [finding('dangerous.credentials', message, span)];
}

function isSummary({ name }: ReadArgs['flags'][number]): boolean {
  return /^(-s|-q|--stat|--shortstat|--numstat|--name-only|--name-status|--no-patch|--quiet|--summary|--raw|--compact-summary|--dirstat)$/.test(
    name,
  );
}

function isPatch({ name }: ReadArgs['flags'][number]): boolean {
  return /^(-p|-u|-U|--patch|--unified|-c|--cc|-W)$/.test(name);
}

/** The paths to which the line limits git, by `--` or as `REV:path`; null: to none that are plain. */
function limitsOf({ operands, beforeDashes }: ReadArgs): readonly string[] | null {
  const named = operands.every(({ value }) => /^[^:]+:./.test(value));
  const words = named
    ? operands.map(({ value }) => value.replace(/^[^:]+:/, ''))
    : operands.slice(beforeDashes ?? operands.length).map(({ value }) => value);
  const isPlain = words.every((path) => /^[^:*?[\\]+$/.test(path) && !path.split('/').includes('..'));
  return words.length === 0 || !isPlain ? null : words.map((path) => path.replace(/^(\.\/)+|\/+$/g, ''));
}

function isWithin(path: string, limits: readonly string[] | null, { context }: LineState): boolean {
  if (limits === null) return true;
  return limits.some((limit) => {
    if (limit === '.' || path === limit || path.startsWith(`${limit}/`)) return true;
    // Of older trees only the last name is known: it may have been in any folder.
    return path.startsWith('**/') && context.look(joinPath(context.root, limit)) !== 'file';
  });
}

function isKeptFromAgents(path: string, { context }: LineState): boolean {
  const full = joinPath(context.root, path);
  return (isSecret(path) && !context.holdsNoCredentials(full)) || context.placeOf(full) === 'hidden';
}

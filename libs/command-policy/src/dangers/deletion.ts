/** Deletions: of the system, of the work itself, or of what a build makes again. */
import { findsOnlyEmpty, namesFound, parseFind } from '../find.js';
import type { LineState } from '../line-state.js';
import { joinPath, tidyPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import { isWild, mayMatch, plainName, wildcard } from '../wildcards.js';
import type { Arg } from '../arg.js';
import { hasFlag, operandsOf, type Call } from './call.js';

export const DELETERS =
  /^(rm|rmdir|unlink|del|erase|rd|srm|shred|trash|trash-cli|rimraf|del-cli|remove-item|trash-put)$/;
/** Programs that empty or take away what their operands name. */
const EMPTIERS = /^(truncate|sponge|shred|tee)$/;

/** What builds, tests and tools make, and make again. */
const MADE_AGAIN =
  /^(\*?\.?(node_modules|bower_components|dist|build|out|output|target|coverage|htmlcov|next|nuxt|turbo|cache|parcel-cache|nyc_output|pytest_cache|mypy_cache|ruff_cache|tox|gradle|venv|env\d|tmp|temp|eslintcache|coverage\.xml|DS_Store|vite|angular|svelte-kit|swc|expo|terraform|ipynb_checkpoints)|__pycache__|package-lock\.json|pnpm-lock\.yaml|obj|logs?|generated|playwright-report|test-results|storybook-static|.*\.(egg-info|py[co]|o|obj|class|log|tmp|temp|bak|orig|rej|sw[op]|map|tsbuildinfo|tgz|cache|lock|pid|gcda|gcno|prof|coverage|d\.ts\.map|test|out))\*?$/;

const SYSTEM_FOLDERS =
  /^\/+(\.|\*|\.\*|(bin|boot|dev|etc|home|lib(32|64|x32)?|opt|proc|root|run|sbin|srv|sys|usr|var|mnt|media|Users|System|Library|Applications|Windows)(\/+\*?)?)?$/;
const HOMES = /^(~[\w-]*|"?\$\{?HOME\}?"?|\/(home|Users)\/[^/]+|\/root)\/*(\*|\.\*?)?$/;

/** A root, a folder that the system lives in, or a whole home. */
function isSystemPath(arg: Arg): boolean {
  return [arg.value, arg.span.text].some((text) => {
    const path = text
      .replace(/^["']|["']$/g, '')
      .replace(/\/\.(?=\/|$)/g, '')
      .replace(/\/[^/]+\/\.\.(?=\/|$)/g, '');
    if (path === '') return text.startsWith('/');
    return SYSTEM_FOLDERS.test(path) || HOMES.test(path) || /^[A-Za-z]:[\\/]*$/.test(path);
  });
}

/** What a call deletes, empties or moves away. */
export function deletions(call: Call, state: LineState): Finding[] {
  const { program, args, span } = call;
  if (/^ch(mod|own|grp)$/.test(program)) return permissions(call);
  if (program === 'find') return findDelete(call, state);
  if (program === 'git') return gitDeletes(call, state);
  const isEmptying =
    EMPTIERS.test(program) || (program === 'cp' && args.some(({ value }) => value === '/dev/null'));
  const found = args.find(({ search, value }) => search !== undefined || value.includes('{}'));
  if ((isEmptying || /^(mv|dd)$/.test(program)) && found !== undefined && endangers(found, true, state))
    return work(`${program} empties or moves whatever is found.`, found);
  const written = [
    ...args.filter(({ value }) => value.startsWith('of=')),
    ...(program === 'tee' ? args : args.slice(-1)),
  ];
  const history = written.find(({ value }) => /(^(of=)?|\/)\.git\//.test(value));
  if (/^(tee|cp|mv|dd|install|ln|sponge)$/.test(program) && history !== undefined)
    return [finding('dangerous.git', 'It overwrites what git keeps.', history.span)];
  if (program === 'mv') return moves(call, state);
  if (program === 'rsync' && args.some(({ value }) => /^--(del|remove-source)/.test(value)))
    return [finding('dangerous.delete_work', 'rsync deletes what the source does not have.', span)];
  return isEmptying ? empties(call, state) : DELETERS.test(program) ? deletes(call, state) : [];
}

function work(message: string, { span }: Arg): Finding[] {
  return [finding('dangerous.delete_work', message, span)];
}

function system(message: string, { span }: Arg): Finding[] {
  return [finding('dangerous.delete_system', message, span)];
}

function empties(call: Call, state: LineState): Finding[] {
  const targets = operandsOf(call).slice(call.program === 'cp' ? -1 : 0);
  // A tee into a variable is a log.
  const isMany = ({ kind }: Arg): boolean =>
    kind === 'glob' || (kind === 'unknown' && call.program !== 'tee');
  const target = targets.find((arg) => isMany(arg) && endangers(arg, true, state));
  return target === undefined ? [] : work(`It empties ${target.span.text}.`, target);
}

function deletes(call: Call, state: LineState): Finding[] {
  const { program, span, args } = call;
  const isRecursive =
    /^(rimraf|del-cli|rd|trash|trash-cli|trash-put|remove-item)$/.test(program) ||
    hasFlag(call, 'rR', '--recursive');
  const targets = /^(rimraf|del-cli)$/.test(program) ? operandsOf(call).map(asPattern) : operandsOf(call);
  const isAll = args.find(({ value }) => value.startsWith('--no-preserve'));
  const top = isAll ?? (isRecursive && program !== 'rmdir' ? targets.find(isSystemPath) : undefined);
  if (top !== undefined) return system('It deletes a system folder or a whole home folder.', top);
  // rmdir takes only empty folders, and those nobody misses.
  const target = program === 'rmdir' ? undefined : targets.find((arg) => endangers(arg, isRecursive, state));
  if (target !== undefined)
    return work(`It deletes ${target.span.text}, which may be the work itself.`, target);
  return [finding('dangerous.delete', `${program} deletes files.`, span)];
}

/** For programs that read patterns themselves, quoted or not. */
function asPattern(arg: Arg): Arg {
  return arg.kind === 'literal' && isWild(arg.value) ? { ...arg, kind: 'glob', pattern: arg.value } : arg;
}

/** Out of the workspace is out of the box, or into a folder that goes with it. */
function moves(call: Call, state: LineState): Finding[] {
  const flag = call.args.findIndex(({ value }) => /^(-\w*t|--target-directory)$/.test(value));
  const attached = call.args.find(({ value }) => /^(-\w*t.|--target-directory=.)/.test(value));
  const operands = operandsOf(call);
  const target = flag < 0 ? (attached ?? operands.at(-1)) : call.args[flag + 1];
  const folder = target?.value.replace(/^(-\w*?t|--target-directory=)(?=.)/, '') ?? '';
  const sources = operands.filter((arg) => arg !== target);
  const top = sources.find(isSystemPath);
  if (top !== undefined) return system('It moves a system folder or a whole home folder away.', top);
  const isAway = !state.folders.every((from) =>
    isBelow(tidyPath(joinPath(from, folder)), state.context.root),
  );
  const isGit = ({ value, kind }: Arg): boolean =>
    value
      .replace(/\/+$/, '')
      .split('/')
      .some((part) => isHistory(part, kind === 'glob'));
  // A pattern in the place of the target may be several names: then the last of them is.
  const source = [...sources, ...(target?.kind === 'glob' ? [target] : [])].find(
    (arg) => isGit(arg) || isWhole(arg, state) || (isAway && endangers(arg, true, state)),
  );
  return source === undefined ? [] : work(`It moves ${source.span.text} away.`, source);
}

/** The workspace as a whole, which cannot be moved into itself: mv copies what it can, and then deletes. */
function isWhole({ kind, value, span }: Arg, state: LineState): boolean {
  if (/^["']?(\$\{?(OLD)?PWD\}?|\$\(pwd\)|`pwd`)["']?\/*$/.test(span.text)) return true;
  return (
    kind === 'literal' &&
    state.folders.some((folder) => isBelow(state.context.root, tidyPath(joinPath(folder, value))))
  );
}

function gitDeletes(call: Call, state: LineState): Finding[] {
  const [sub, ...args] = call.args;
  const use = { ...call, args };
  const isRestore =
    sub?.value === 'restore' && (!hasFlag(use, 'S', '--staged') || hasFlag(use, 'W', '--worktree'));
  const isRemoval = sub?.value === 'rm' && !hasFlag(use, 'n', '--cached', '--dry-run');
  const isCheckout = sub?.value === 'checkout';
  if (!isRemoval && !isRestore && !isCheckout) return [];
  const dashes = args.findIndex(({ value }) => value === '--');
  const paths = isCheckout && dashes >= 0 ? args.slice(dashes + 1) : operandsOf(use);
  // Without dashes a word may be a branch; these can be nothing but everything.
  const isBroad = (arg: Arg): boolean =>
    isCheckout && dashes < 0 ? /^(\.\/?|\*|\.\/\*)$/.test(arg.value) : endangers(asPattern(arg), true, state);
  const target = paths.find((arg) => isBroad(arg) || arg.value.startsWith(':'));
  if (target === undefined) return [];
  return [
    finding('dangerous.git', `It throws away what is not committed of ${target.span.text}.`, target.span),
  ];
}

function findDelete({ args }: Call, state: LineState): Finding[] {
  const action = args.find(({ value }) => value === '-delete');
  if (action === undefined) return [];
  const search = parseFind(args);
  const isFiltered = args.some(({ value }) =>
    /^-(i?name|i?path|type|regex|mtime|size|empty|newer)/.test(value),
  );
  const top = search.starts.find(isSystemPath);
  if (top !== undefined && !isFiltered)
    return system('It deletes every file of the system or of a whole home folder.', top);
  const found = { ...action, search };
  const message = 'find -delete removes every file that it finds.';
  return endangers(found, true, state)
    ? work(message, action)
    : [finding('dangerous.delete', message, action.span)];
}

function permissions(call: Call): Finding[] {
  const top = operandsOf(call).slice(1).find(isSystemPath);
  if (top === undefined || !hasFlag(call, 'R', '--recursive')) return [];
  const message = 'It changes the permissions of the system or of a whole home folder.';
  return [finding('dangerous.permissions_system', message, top.span)];
}

/** Whether deleting what a word names could lose work. What lies outside of the workspace is not the work. */
export function endangers(arg: Arg, isRecursive: boolean, state: LineState): boolean {
  const { kind, search, pattern = '', value } = arg;
  if (search !== undefined) {
    const names = namesFound(search);
    const areMade = names !== null && names.every((name) => MADE_AGAIN.test(name));
    return (
      !findsOnlyEmpty(search) && !areMade && search.starts.some((start) => endangers(start, true, state))
    );
  }
  if (kind === 'unknown' || value.includes('{}')) return true;
  const written = kind === 'glob' ? pattern : value.replace(/[*?[\]\\]/g, '\\$&');
  return state.folders.some((folder) =>
    isWork(tidyPath(joinPath(folder, written)), kind === 'glob', isRecursive, state),
  );
}

function isWork(path: string, isGlob: boolean, isRecursive: boolean, state: LineState): boolean {
  const { root, look } = state.context;
  if (!isBelow(path, root))
    return isBelow(root, path) || (isGlob && isBelow(root, path.replace(/\/[^/]*[*?[].*$/, '')));
  const parts = path
    .slice(root.replace(/\/+$/, '').length + 1)
    .split('/')
    .filter((part) => part !== '');
  const last = parts.at(-1);
  if (last === undefined) return true;
  if (parts.some((part) => isHistory(part, isGlob))) return !/\.lock$/.test(last);
  // A line that moves or links may put the work where builds put their output.
  const isMoved = state.parts.some(({ program }) => program === 'mv' || program === 'ln');
  if (parts.some((part) => MADE_AGAIN.test(isGlob ? part : plainName(part)))) return isMoved;
  // A pattern that is hardly more than an ending names everything.
  const isWide = (part: string): boolean =>
    isWild(part) && part.replace(/\.\w+$|\[[^\]]*\]|[^A-Za-z0-9]/g, '').length < 2;
  if (isGlob && parts.some(isWide)) return true;
  if (!isRecursive || parts.length > 1) return false;
  const view = isGlob ? 'unknown' : look(plainName(path));
  return view !== 'file' && (view !== 'missing' || isMoved);
}

/** Whether a part of a path is, or may become, the folder that git keeps all in. */
function isHistory(part: string, isGlob: boolean): boolean {
  return part === '.git' || (isGlob && part.startsWith('.') && mayMatch(wildcard(part), '.git'));
}

function isBelow(path: string, folder: string): boolean {
  const base = folder.replace(/\/+$/, '');
  return path === base || base === '' || path.startsWith(`${base}/`);
}

/** Judges a path that a command reads or writes: inside the workspace, and no file that needs a person. */
import { globMayNameObeyed, globMayNameSecret, isObeyed, isSecret } from './file-names.js';
import { finding, type Finding } from './rules.js';
import type { LineState } from './line-state.js';
import type { PathPlace } from './types.js';
import type { Arg } from './words.js';

/** `list`: only names are seen. */
export type PathUse = 'read' | 'write' | 'list';

/** Files of the system that every program reads and that tell nothing about the people of a machine. */
const PUBLIC_FILES =
  /^\/(usr\/(bin|lib|include|share)(\/[^/]+)*|etc\/(os-release|debian_version|lsb-release)|proc\/(cpuinfo|meminfo|version|loadavg|uptime))$/;
const STANDARD_STREAMS = new Set(['-', '/dev/null', '/dev/stdin']);

/** What speaks against using the path, or null. `arg` is a literal, or a glob when `use` is to read. */
export function judgePath(arg: Arg, value: string, use: PathUse, state: LineState): Finding | null {
  if (arg.found !== undefined && use !== 'write') return arg.found.judgeRead(false);
  if (use !== 'write' && STANDARD_STREAMS.has(value)) return null;
  if (value === '' && use !== 'write') return null;
  const device = judgeDevice(arg, value, use);
  if (device !== null) return device;
  const named = judgeName(arg, value, use, state);
  if (named !== null) return named;
  const place = placeOf(value, state);
  if (place === 'hidden') return finding('path.hidden', `${value} is hidden from agents.`, arg.span);
  if (use !== 'write' && place === 'outside' && isPublic(value)) return null;
  if (place === 'outside') {
    return finding('path.outside', `${value} leads out of the workspace.`, arg.span);
  }
  if (place === 'protected' && use === 'write') {
    return finding('path.protected', `${value} is protected: it tells other programs what to do.`, arg.span);
  }
  if (isBelowMoved(value, state)) {
    return finding(
      'path.moved_here',
      `Where ${value} leads depends on what the line copies or moves first.`,
      arg.span,
    );
  }
  return null;
}

function judgeName(arg: Arg, value: string, use: PathUse, state: LineState): Finding | null {
  // After `cd .git` the name alone says nothing.
  const names = value.startsWith('/')
    ? [withoutRoot(value, state)]
    : [value, ...state.folders.map((folder) => `${below(folder, state)}/${value}`)];
  if (
    use !== 'list' &&
    names.some(
      (name) =>
        isSecret(name) ||
        isTellingConfig(name, value, state) ||
        (arg.kind === 'glob' && globMayNameSecret(name)),
    )
  ) {
    return finding('dangerous.credentials', `${value} may hold secrets.`, arg.span);
  }
  if (
    use === 'write' &&
    names.some((name) => isObeyed(name) || (arg.kind === 'glob' && globMayNameObeyed(name)))
  ) {
    return finding('path.protected', `${value} is protected: it tells other programs what to do.`, arg.span);
  }
  return null;
}

/** Addresses of remotes can hold passwords. */
function isTellingConfig(name: string, value: string, { context, folders }: LineState): boolean {
  if (!/(^|\/)\.git\/+config$/i.test(name) || !context.seesFiles) return false;
  return folders.some((folder) => !context.holdsNoCredentials(joinPath(folder, value)));
}

/** The workspace may itself lie below a folder with such a name. */
function withoutRoot(path: string, { context }: LineState): string {
  const root = context.root.replace(/\/+$/, '');
  return path.startsWith(`${root}/`) ? path.slice(root.length) : path;
}

function below(folder: string, state: LineState): string {
  return withoutRoot(`${folder.replace(/\/+$/, '')}/`, state);
}

/** Device files that hold data; writing to one destroys more than a file. */
const DISK =
  /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|loop|ram|mtd|sr|rdisk|zd|nbd|mem$|kmem$|port$)/;

export function isDiskDevice(path: string): boolean {
  return DISK.test(path);
}

function judgeDevice(arg: Arg, value: string, use: PathUse): Finding | null {
  if (!value.startsWith('/dev/') && value !== '/dev') return null;
  if (/^\/dev\/(tcp|udp)\//.test(value)) {
    return finding('dangerous.network_shell', `${value} is a network connection.`, arg.span);
  }
  if (use === 'write' && isDiskDevice(value)) {
    return finding('dangerous.device_write', `Writing to ${value} destroys what the device holds.`, arg.span);
  }
  return finding('dangerous.device', `${value} is a device, not a file of the workspace.`, arg.span);
}

function isPublic(value: string): boolean {
  return PUBLIC_FILES.test(value) && !value.split('/').includes('..') && !/[*?[]/.test(value);
}

const STRICTNESS: readonly PathPlace[] = ['inside', 'protected', 'hidden', 'outside'];

/** The least trusted place to which the path may lead, over every folder that the line may be in by then. */
function placeOf(value: string, state: LineState): PathPlace {
  let found: PathPlace = 'inside';
  // Of a glob only the folders before its first pattern are known.
  const known =
    value.search(/[*?[]/) < 0 ? value : value.slice(0, value.search(/[*?[]/)).replace(/[^/]*$/, '');
  if (known !== value && value.split('/').includes('..')) return 'outside';
  for (const folder of state.folders) {
    const place = state.context.placeOf(joinPath(folder, known === '' ? '.' : known));
    if (STRICTNESS.indexOf(place) > STRICTNESS.indexOf(found)) found = place;
  }
  return found;
}

/** Joins without tidying: `..` after a link is the business of whoever resolves it. */
export function joinPath(folder: string, path: string): string {
  return path.startsWith('/') ? path : `${folder.replace(/\/+$/, '')}/${path}`;
}

/** Removes `.` and `..` by text alone. */
export function tidyPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function isBelowMoved(value: string, state: LineState): boolean {
  if (state.moved.length === 0) return false;
  return state.folders.some((folder) => {
    const path = tidyPath(joinPath(folder, value));
    return state.moved.some(
      (moved) => path === moved || path.startsWith(`${moved}/`) || moved.startsWith(`${path}/`),
    );
  });
}

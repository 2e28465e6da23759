/** Where paths lead, by text and by the facts about the workspace, and what speaks against reading there. */
import { isSecret } from './file-names.js';
import { finding, type Finding } from './rules.js';
import type { LineState } from './line-state.js';
import type { Arg } from './arg.js';

/** Files of the system that every program reads and that tell nothing about the people of a machine. */
const PUBLIC_FILES =
  /^\/(usr\/(bin|lib|include|share)(\/[^/]+)*|etc\/(os-release|debian_version|lsb-release)|proc\/(cpuinfo|meminfo|version|loadavg|uptime))$/;
const STANDARD_STREAMS = new Set(['', '-', '/dev/null', '/dev/stdin']);

/** What speaks against reading what a word names, in whichever folder the line may be by then; null: nothing. */
export function judgeRead({ span }: Arg, value: string, state: LineState): Finding | null {
  if (STANDARD_STREAMS.has(value)) return null;
  const { context, folders } = state;
  const paths = value.startsWith('/') ? [value] : folders.map((folder) => joinPath(folder, value));
  // After `cd .git` the name alone says nothing.
  if (paths.some((path) => mayHoldSecrets(path, state)))
    return finding('dangerous.credentials', `${value} may hold secrets.`, span);
  const places = paths.map((path) => context.placeOf(path));
  if (places.includes('hidden')) return finding('path.hidden', `${value} is hidden from agents.`, span);
  const isPublic = PUBLIC_FILES.test(value) && !value.split('/').includes('..');
  if (places.includes('outside') && !isPublic)
    return finding('path.outside', `${value} leads out of the workspace.`, span);
  return null;
}

/** Whether a file is one that holds secrets, by its name below the workspace and by what is known of its content. */
export function mayHoldSecrets(path: string, { context }: LineState): boolean {
  const root = context.root.replace(/\/+$/, '');
  // The workspace may itself lie below a folder with such a name.
  const name = path.startsWith(`${root}/`) ? path.slice(root.length) : path;
  // Addresses of remotes can hold passwords.
  const isSettings = /(^|\/)\.git\/+config$/i.test(name) && context.seesFiles;
  return (isSecret(name) || isSettings) && !context.holdsNoCredentials(path);
}

/** Device files that hold data; writing to one destroys more than a file. */
const DISK =
  /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|loop|ram|mtd|sr|rdisk|zd|nbd|mem$|kmem$|port$)/;

/** Whether the path names a disk, or memory, as a whole. */
export function isDiskDevice(path: string): boolean {
  return DISK.test(path);
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

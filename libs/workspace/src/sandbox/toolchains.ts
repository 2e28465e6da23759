/** Programs outside of the system's folders: what a box must see, read-only, so that the programs that PATH names run in it. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** What a box sees anyway. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** Folders that hold much else, and so are never shown as a whole; nor is a home. */
const NEVER = new Set([
  ...['/', '/home', '/root', '/etc', '/proc', '/sys', '/dev', '/run', '/tmp', '/var'],
  '/var/tmp',
  '/opt',
  '/srv',
  '/mnt',
  '/media',
]);
/** So many links of one folder are followed. */
const MOST_ENTRIES = 2_000;

export interface Toolchains {
  /** PATH without folders that lie in the workspace or are not there. */
  readonly path: string;
  readonly folders: readonly string[];
}

/** What was found for a PATH, as long as its folders hold the same names: to follow a thousand links takes longer than a command. */
const kept = new Map<string, { readonly state: string; readonly found: Toolchains }>();

/** Never throws: a folder that can't be read is left out. */
export function toolchains(searchPath: string, workspacePath: string): Toolchains {
  const key = `${searchPath}\0${workspacePath}`;
  const state = searchPath.split(':').map(changeOf).join();
  const before = kept.get(key);
  if (before?.state === state) return before.found;
  const found = findToolchains(searchPath, workspacePath);
  kept.set(key, { state, found });
  return found;
}

function changeOf(folder: string): number {
  return statSync(folder, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

function findToolchains(searchPath: string, workspacePath: string): Toolchains {
  const parts = searchPath.split(':').filter((part) => path.isAbsolute(part) && isFolder(part));
  const outside = parts.filter((part) => !isBelow(realOf(part) ?? part, workspacePath));
  const needed = outside.flatMap((part) => [part, realOf(part) ?? part, ...targetsIn(part)]);
  const roots = needed
    .filter((folder) => !SYSTEM.some((system) => isBelow(folder, system)))
    .flatMap((folder) => rootOf(folder) ?? [])
    .filter((folder) => !isBelow(workspacePath, folder) && !isBelow(folder, workspacePath));
  const folders = [...new Set(roots)];
  const isOutermost = (folder: string): boolean =>
    !folders.some((other) => other !== folder && isBelow(folder, other));
  return { path: outside.join(':'), folders: folders.filter(isOutermost) };
}

/** Folders that the programs in a folder are links into. */
function targetsIn(folder: string): string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .slice(0, MOST_ENTRIES);
    return links.flatMap((entry) => {
      const target = realOf(path.join(folder, entry.name));
      return target === null ? [] : [path.dirname(target)];
    });
  } catch {
    // Not ours to read: then the command's user has nothing of it either.
    return [];
  }
}

/** A tool's programs need what lies beside them: `bin` and `lib` in one folder. Null for what must not be shown. */
function rootOf(folder: string): string | null {
  const name = path.basename(folder);
  const root = name === 'bin' || name === 'sbin' || name === 'libexec' ? path.dirname(folder) : folder;
  if (!NEVER.has(root) && !isHome(root)) return root;
  return NEVER.has(folder) || isHome(folder) ? null : folder;
}

function isHome(folder: string): boolean {
  return /^\/(home|Users)\/[^/]+$/.test(folder) || folder === homedir();
}

function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function realOf(place: string): string | null {
  try {
    return realpathSync(place);
  } catch {
    // A link to nothing.
    return null;
  }
}

function isBelow(place: string, folder: string): boolean {
  return place === folder || place.startsWith(`${folder}/`);
}

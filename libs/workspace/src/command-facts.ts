/** What the command policy asks about a workspace: where paths lead at this moment, what folders hold, which programs are found. */
import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs';
import path from 'node:path';
import type { PolicyRules } from '@bullpen/contracts';
import {
  protectionOf,
  type CommandContext,
  type FileEntry,
  type FolderView,
  type PathPlace,
} from '@bullpen/core';
import { gitPaths } from './git-paths.js';
import { HiddenPaths } from './hidden-paths.js';
import { placeOfPath } from './place-of-path.js';
import { isExecutable, programPlace } from './program-place.js';

export interface CommandSurroundings {
  /** The folder in which the line starts, relative to the workspace. */
  readonly cwd: string;
  /** The PATH that the command would have. */
  readonly searchPath: string;
  /** What is protected beyond the usual. */
  readonly files: PolicyRules['files'];
}

/** The facts about a workspace as it is now. Each is found out when it is asked for, and then kept. */
export function commandFacts(
  workspacePath: string,
  { cwd, searchPath, files }: CommandSurroundings,
): CommandContext {
  const root = realOf(workspacePath);
  const hidden = HiddenPaths.of(root);
  const placeOf = (given: string): PathPlace => {
    const { place, relative } = placeOfPath(root, given, hidden);
    return place === 'inside' && protectionOf(relative ?? '', files) !== null ? 'protected' : place;
  };
  return {
    root,
    cwd: path.resolve(root, cwd),
    seesFiles: true,
    placeOf: kept(placeOf),
    look: kept((folder) => look(folder, placeOf)),
    programAt: (word, folder) => programPlace(word, path.resolve(folder), root, searchPath),
    hasLocalProgram: (name, folder) => hasLocalProgram(name, path.resolve(folder), root),
    gitPaths: () => gitPaths(root),
  };
}

function kept<T>(find: (path: string) => T): (path: string) => T {
  const found = new Map<string, T>();
  return (given) => {
    const before = found.get(given);
    if (before !== undefined) return before;
    const now = find(given);
    found.set(given, now);
    return now;
  };
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    // Gone: then nothing is inside it, and every path is asked about.
    return path.resolve(folder);
  }
}

function look(folder: string, placeOf: (path: string) => PathPlace): FolderView {
  try {
    if (placeOf(folder) === 'outside') return 'unknown';
    if (!statSync(folder).isDirectory()) return 'file';
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: kindOf(entry),
      place: placeOf(`${folder}/${entry.name}`),
    }));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown';
  }
}

function kindOf(entry: Dirent): FileEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}

/** npx runs what the nearest `node_modules/.bin` holds, from the folder up. */
function hasLocalProgram(name: string, folder: string, root: string): boolean {
  if (!/^[\w.-]+$/.test(name)) return false;
  for (let current = folder; ; current = path.dirname(current)) {
    if (current !== root && !current.startsWith(`${root}/`)) return false;
    if (isExecutable(path.join(current, 'node_modules/.bin', name))) return true;
  }
}

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
import { gitRunsNothing } from './git-settings.js';
import { HiddenPaths } from './hidden-paths.js';
import { isKept, placeOfPath } from './place-of-path.js';
import { readPlainFile } from './plain-file.js';
import { programPlace } from './program-place.js';

export interface CommandSurroundings {
  /** The folder in which the line starts, relative to the workspace. */
  readonly cwd: string;
  /** The PATH that the command would have. */
  readonly searchPath: string;
  /** What is protected beyond the usual. */
  readonly files: PolicyRules['files'];
  /** Whether a box of the kernel holds the command. */
  readonly boxed: boolean;
  /** The hosts that it reaches from there. */
  readonly openedHosts: readonly string[];
}

/** The facts about a workspace as it is now. Each is found out when it is asked for, and then kept. */
export function commandFacts(
  workspacePath: string,
  { cwd, searchPath, files, boxed, openedHosts }: CommandSurroundings,
): CommandContext {
  const root = realOf(workspacePath);
  const sight: Sight = { root, hidden: HiddenPaths.of(root), files };
  return {
    root,
    cwd: path.resolve(root, cwd),
    seesFiles: true,
    boxed,
    openedHosts,
    placeOf: kept((given) => placeOf(given, sight)),
    look: kept((folder) => look(folder, sight)),
    programAt: (word, folder) => programPlace(word, path.resolve(folder), root, searchPath),
    gitPaths: kept(() => gitPaths(root)),
    gitRunsNothing: kept(() => gitRunsNothing(root)),
    holdsNoCredentials: kept(holdsNoCredentials),
  };
}

/** What decides about the paths of a workspace. */
interface Sight {
  readonly root: string;
  readonly hidden: HiddenPaths;
  readonly files: PolicyRules['files'];
}

function placeOf(given: string, { root, hidden, files }: Sight): PathPlace {
  const { place, relative } = placeOfPath(root, given, hidden);
  return place === 'inside' && protectionOf(relative ?? '', files) !== null ? 'protected' : place;
}

function kept<T>(find: (path: string) => T): (path?: string) => T {
  const found = new Map<string, T>();
  return (given = '') => {
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

function look(folder: string, sight: Sight): FolderView {
  const { root, hidden } = sight;
  const { place, relative } = placeOfPath(root, folder, hidden);
  if (place === 'outside' || relative === null) return 'unknown';
  try {
    if (!statSync(folder).isDirectory()) return 'file';
    return readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const kind = kindOf(entry);
      const way = relative === '' ? entry.name : `${relative}/${entry.name}`;
      return { name: entry.name, kind, place: placeIn(folder, entry.name, way, kind, sight) };
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'unknown';
  }
}

/** The place of an entry; only links have to be followed. */
function placeIn(
  folder: string,
  name: string,
  relative: string,
  kind: FileEntry['kind'],
  sight: Sight,
): PathPlace {
  if (kind === 'link') return placeOf(`${folder}/${name}`, sight);
  if (isKept(relative, kind === 'folder', sight.hidden)) return 'hidden';
  return protectionOf(relative, sight.files) === null ? 'inside' : 'protected';
}

function kindOf(entry: Dirent): FileEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}

/** Settings that may hold a password or token, and mostly hold none; and what looks like one in them. */
const SETTINGS: readonly (readonly [RegExp, RegExp])[] = [
  [/(^|\/)\.npmrc$/, /auth|password|token|secret|user|email|key|cert|:\/\/[^/\s]*@/i],
  [/(^|\/)\.git\/config$/, /auth|password|token|secret|extraheader|:\/\/[^/\s]*@/i],
];

const MAX_SETTINGS_BYTES = 65_535;

function holdsNoCredentials(file: string): boolean {
  const credentials = SETTINGS.find(([name]) => name.test(file))?.[1];
  if (credentials === undefined) return false;
  try {
    const content = readPlainFile(file, MAX_SETTINGS_BYTES);
    return content !== null && !credentials.test(content.toString('utf8'));
  } catch {
    // Nobody has looked into it, so it may hold anything.
    return false;
  }
}

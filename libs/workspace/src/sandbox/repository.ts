/**
 * The insides of a `.git` folder: commits, branches and stashes are work and can be written; what makes git run programs or look
 * elsewhere can only be read. It must not come into being either, so its names are looked for after each command.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { onDisk } from './byte-path.js';

/** Names in a repository that decide what git runs and where it looks. */
const DECIDING = ['config', 'config.worktree', 'hooks', 'commondir', 'info/attributes'];

export interface RepositoryPart {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link';
}

/** Those that are there, in this repository and in those of its submodules and work trees. `path` is absolute, all are byte strings. */
export function decidingParts(path: string): RepositoryPart[] {
  return repositoriesIn(path).flatMap((repository) =>
    DECIDING.flatMap((name) => {
      const stats = lstatSync(onDisk(`${repository}/${name}`), { throwIfNoEntry: false });
      if (stats === undefined) return [];
      const kind = stats.isSymbolicLink() ? 'link' : stats.isDirectory() ? 'folder' : 'file';
      return [{ path: `${repository}/${name}`, kind } as const];
    }),
  );
}

/** Names of submodules are paths, so their repositories lie at some depth. */
const MAX_DEPTH = 32;

/** The repository, and those that git keeps below `modules` and `worktrees`. */
export function repositoriesIn(path: string, depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  const isRepository = depth === 0 || isThere(`${path}/HEAD`);
  const below = isRepository
    ? ['modules', 'worktrees'].flatMap((name) => foldersIn(`${path}/${name}`))
    : foldersIn(path);
  return [...(isRepository ? [path] : []), ...below.flatMap((each) => repositoriesIn(each, depth + 1))];
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(onDisk(path), { withFileTypes: true, encoding: 'latin1' })
      .filter((entry) => entry.isDirectory())
      .map((entry) => `${path}/${entry.name}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') return [];
    throw error;
  }
}

function isThere(path: string): boolean {
  return lstatSync(onDisk(path), { throwIfNoEntry: false }) !== undefined;
}

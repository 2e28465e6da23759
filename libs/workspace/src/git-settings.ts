/** Whether git, when it only looks, runs nothing but itself in a workspace: read off the repository without running git. */
import { lstatSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isHarmlessPart } from './sandbox/git-parts.js';

/** False also where nobody can tell: a work tree of a repository elsewhere, a setting that is none of the usual. */
export function gitRunsNothing(root: string): boolean {
  try {
    const stats = lstatSync(path.join(root, '.git'), { throwIfNoEntry: false });
    if (stats === undefined) return !hasRepositoryAbove(root);
    const isHarmless = ['.git/config', '.git/hooks'].every((part) => isHarmlessPart(root, part));
    // With this git would look at another folder than the workspace.
    return (
      stats.isDirectory() &&
      isHarmless &&
      !/worktree/i.test(readFileSync(path.join(root, '.git/config'), 'utf8'))
    );
  } catch {
    // It cannot be read, so it may say anything.
    return false;
  }
}

/** Git looks for a repository in the folders above, whose settings nobody has read. */
function hasRepositoryAbove(root: string): boolean {
  for (let folder = root; folder !== path.dirname(folder); folder = path.dirname(folder))
    if (lstatSync(path.join(path.dirname(folder), '.git'), { throwIfNoEntry: false }) !== undefined)
      return true;
  return false;
}

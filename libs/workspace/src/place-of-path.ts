/** Where a path in a command line leads, found as the system finds it: part by part, links followed where they stand. */
import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { isOwnName, relativeInside } from './confine.js';
import type { HiddenPaths } from './hidden-paths.js';

/** As many links as Linux follows. */
const MAX_LINKS = 40;

export interface FollowedPath {
  readonly place: 'inside' | 'hidden' | 'outside';
  /** From the workspace down, when the path leads into it; empty for the workspace itself. */
  readonly relative: string | null;
}

const OUTSIDE: FollowedPath = { place: 'outside', relative: null };

/**
 * Where an absolute path leads, whether or not there is something. `root` is the workspace's real path. Never throws: what cannot
 * be followed is outside. The answer holds for its moment; what opens the path looks again.
 */
export function placeOfPath(root: string, absolute: string, hidden: HiddenPaths): FollowedPath {
  try {
    const followed = follow(absolute);
    const relative = followed === null ? null : relativeInside(root, followed.path);
    if (followed === null || relative === null) return OUTSIDE;
    return { place: isKept(relative, followed.isFolder, hidden) ? 'hidden' : 'inside', relative };
  } catch {
    // No permission to look, a name that no file can have: nobody knows where it leads.
    return OUTSIDE;
  }
}

/** Whether a path of the workspace that goes through no link is kept from agents. */
export function isKept(relative: string, isFolder: boolean, hidden: HiddenPaths): boolean {
  const names = relative === '' ? [] : relative.split('/');
  return names.some(isOwnName) || hidden.hides(names, isFolder);
}

function follow(absolute: string): { path: string; isFolder: boolean } | null {
  const pending = absolute.split('/').reverse();
  let current = '/';
  let isFolder = true;
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      current = path.dirname(current);
      isFolder = true;
      continue;
    }
    const next = path.join(current, name);
    // Links there lead elsewhere for each process, so ours say nothing of a command's.
    if (next === '/proc') return null;
    const stats = lstatSync(next, { throwIfNoEntry: false });
    if (!stats?.isSymbolicLink()) {
      current = next;
      isFolder = stats?.isDirectory() ?? false;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) return null;
    const target = readlinkSync(next);
    if (target.startsWith('/')) current = '/';
    pending.push(...target.split('/').reverse());
  }
  return { path: current, isFolder };
}

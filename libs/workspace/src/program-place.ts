/** What a shell would run for a word: found along PATH as bash does it, and told apart by who can write it. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import type { ProgramPlace } from '@bullpen/core';

/** Where systems keep their programs, whatever PATH says. */
const SYSTEM_FOLDERS = ['/bin', '/sbin', '/usr/bin', '/usr/sbin', '/usr/local/bin', '/usr/local/sbin'];
/** Folders into which everybody puts files. */
const EVERYBODYS = ['/tmp', '/var/tmp', '/dev/shm', '/run/user'];

/**
 * The place of the program that `word` names in `folder`. A word with a slash is a path, and known only in a folder of programs;
 * any other is looked for along `searchPath`, of which an empty part is the folder itself.
 */
export function programPlace(word: string, folder: string, root: string, searchPath: string): ProgramPlace {
  const parts = searchPath.split(':');
  if (word.includes('/')) {
    if (isToolFolder(path.dirname(path.resolve(folder, word)), root)) return 'tool';
    const isKnownFolder = [...SYSTEM_FOLDERS, ...parts].includes(path.posix.dirname(word));
    return isKnownFolder ? placeOfFile(word, root) : 'project';
  }
  let isOpen = false;
  for (const part of parts) {
    const place = path.resolve(folder, part);
    const found = placeOfFile(path.join(place, word), root);
    if (found !== 'missing' && isToolFolder(place, root)) return 'tool';
    if (found === 'project') return found;
    if (found === 'system') return isOpen ? 'open' : found;
    // Nobody puts a tool where the package manager does without being asked.
    isOpen ||= isShared(place, root) && !isToolFolder(place, root);
  }
  return isOpen ? 'open' : 'missing';
}

function isToolFolder(folder: string, root: string): boolean {
  return folder.startsWith(`${root}/`) && folder.endsWith('/node_modules/.bin');
}

function placeOfFile(file: string, root: string): ProgramPlace {
  if (!isExecutable(file)) return 'missing';
  try {
    return isShared(file, root) || isShared(realpathSync(file), root) ? 'project' : 'system';
  } catch {
    // Gone meanwhile, or nobody may see where it leads.
    return 'project';
  }
}

export function isExecutable(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Nothing there, or nothing that may be run: the shell looks on.
    return false;
  }
}

/** Whether agents could put a file there: in the workspace, in what everybody writes, in what is open to all. */
function isShared(file: string, root: string): boolean {
  const isBelow = (folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
  return [root, ...EVERYBODYS].some(isBelow) || [file, path.dirname(file)].some(isOpenToAll);
}

function isOpenToAll(file: string): boolean {
  return ((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o002) !== 0;
}

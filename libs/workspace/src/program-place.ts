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
    const isKnownFolder = [...SYSTEM_FOLDERS, ...parts].includes(path.posix.dirname(word));
    return isKnownFolder ? placeOfFile(word, root) : 'project';
  }
  const found = parts.map((part) => placeOfFile(path.join(path.resolve(folder, part), word), root));
  return found.find((place) => place !== 'missing') ?? 'missing';
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

function isExecutable(file: string): boolean {
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

/**
 * The paths of which a repository keeps contents, read without running git: its index, and the trees that are stored one by one.
 * Names that only a pack holds, of files that were deleted long ago, are not seen.
 */
import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { indexEntries } from './git-index.js';
import { readPlainFile, startOfPlainFile } from './plain-file.js';

/** Larger ones are not read: judging a line must not take a second. */
const MAX_LOOSE_OBJECTS = 2_000;
const MAX_TREE_BYTES = 1_000_000;
const MAX_SETTINGS_BYTES = 1_000_000;

/** Paths in the index, and names that only older trees have, in a folder `**`; empty without a repository. Null: nobody can tell. */
export function gitPaths(root: string): readonly string[] | null {
  try {
    const folder = gitFolder(root);
    if (folder === null) return [];
    const common = commonFolder(folder);
    const paths = indexPaths(path.join(folder, 'index'), common);
    const known = new Set(paths.flatMap((each) => each.split('/')));
    const older = new Set(looseNames(path.join(common, 'objects')).filter((name) => !known.has(name)));
    return [...paths, ...[...older].map((name) => `**/${name}`)];
  } catch {
    // A repository of another kind than we can read: then it may hold anything.
    return null;
  }
}

/** Throws when the repository belongs to a folder above: its files are not the workspace's. */
function gitFolder(root: string): string | null {
  for (let folder = root; ; folder = path.dirname(folder)) {
    const found = path.join(folder, '.git');
    const stats = lstatSync(found, { throwIfNoEntry: false });
    if (stats !== undefined) {
      if (folder !== root) throw new Error(`The repository of ${root} lies in ${folder}.`);
      if (stats.isDirectory()) return found;
      const pointer = /^gitdir: (.+)$/m.exec(textOf(found) ?? '')?.[1];
      if (pointer === undefined) throw new Error(`${found} points nowhere.`);
      return path.resolve(root, pointer.trim());
    }
    if (folder === path.dirname(folder)) return null;
  }
}

/** Where work trees of the same repository keep what they share. */
function commonFolder(folder: string): string {
  const pointer = textOf(path.join(folder, 'commondir'));
  return pointer === null ? folder : path.resolve(folder, pointer.trim());
}

/** The paths of an index. */
function indexPaths(file: string, common: string): string[] {
  return indexEntries(file, usesLongIds(common)).map(({ path: name, isRepository }) => {
    // A repository in the repository: what it contains, and what its settings run, is its own.
    if (isRepository) throw new Error('There is a submodule.');
    return name.toString('utf8');
  });
}

/** What is tracked in a folder that is the top of a repository, as bytes; nothing for any other folder. Throws when it cannot be read. */
export function trackedFiles(root: string): readonly Buffer[] {
  const folder = lstatSync(path.join(root, '.git'), { throwIfNoEntry: false }) && gitFolder(root);
  if (!folder) return [];
  const entries = indexEntries(path.join(folder, 'index'), usesLongIds(commonFolder(folder)));
  return entries.filter(({ isRepository }) => !isRepository).map(({ path: name }) => name);
}

function usesLongIds(folder: string): boolean {
  return /^\s*objectformat\s*=\s*sha256/im.test(textOf(path.join(folder, 'config')) ?? '');
}

/** Of a file with a few lines; null when there is none. */
function textOf(file: string): string | null {
  return readPlainFile(file, MAX_SETTINGS_BYTES)?.toString('utf8') ?? null;
}

function looseNames(objects: string): string[] {
  const folders = readdirSync(objects).filter((name) => /^[\da-f]{2}$/.test(name));
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(objects, folder)).map((name) => path.join(objects, folder, name)),
  );
  return files.slice(0, MAX_LOOSE_OBJECTS).flatMap(treeNames);
}

function treeNames(file: string): string[] {
  if (!isSmallTree(file)) return [];
  const packed = readPlainFile(file, MAX_TREE_BYTES);
  if (packed === null) return [];
  const bytes = inflateSync(packed, { maxOutputLength: 20 * MAX_TREE_BYTES });
  const idBytes = path.basename(file).length > 40 ? 32 : 20;
  const names: string[] = [];
  for (let at = bytes.indexOf(0) + 1; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    names.push(bytes.toString('utf8', bytes.indexOf(0x20, at) + 1, end));
    at = end + 1 + idBytes;
  }
  return names;
}

/** By the object's first bytes: most objects are files, and large. */
function isSmallTree(file: string): boolean {
  const found = startOfPlainFile(file, 64);
  if (found === null || found.size > MAX_TREE_BYTES) return false;
  const unpacked = inflateSync(found.start, { finishFlush: constants.Z_SYNC_FLUSH });
  return unpacked.toString('latin1', 0, 5) === 'tree ';
}

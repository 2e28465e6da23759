/**
 * Brings back what a command moved away with the folders above it: a rule that names a path hides nothing at another one, so the next
 * command, and the tools, would see it there.
 */
import { execFile } from 'node:child_process';
import { chownSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { byteString, onDisk, readable } from './byte-path.js';
import type { Found } from './protected-tree.js';
import { withSteadyFolder } from './steady-folder.js';
import { inodeOf, partsOf, snapshotOf, type Snapshot } from './workspace-plan.js';

/** The paths that were brought back, as before. To be called when nothing of the command runs any more. */
export async function bringBack(
  root: string,
  before: Snapshot,
  found: readonly Found[],
): Promise<readonly string[]> {
  const rootBytes = byteString(root);
  const now = snapshotOf(
    rootBytes,
    found.flatMap((each) => partsOf(rootBytes, each)),
  );
  const covered = new Set([...now.entries.values()].map(({ inode }) => inode));
  const lost = new Map(
    [...before.entries].flatMap(([path, { inode, target }]) =>
      target === null && !covered.has(inode) && inodeAt(`${rootBytes}/${path}`) !== inode
        ? [[inode, path]]
        : [],
    ),
  );
  if (lost.size === 0) return [];
  const back: string[] = [];
  for (const [inode, present] of await placesOf(root, [...lost.keys()])) {
    const path = lost.get(inode);
    if (path === undefined) continue;
    moveTo(rootBytes, present, path);
    back.push(path);
  }
  return back.map(readable).sort();
}

/** Where files with these inodes are now; most are nowhere, since a program that saves a file makes another one. */
async function placesOf(
  root: string,
  inodes: readonly string[],
): Promise<readonly (readonly [string, string])[]> {
  const numbers = inodes.map((inode) => inode.split(':')[1] ?? '');
  const tests = numbers.flatMap((number, at) => [...(at === 0 ? [] : ['-o']), '-inum', number]);
  const args = [root, '-xdev', '(', ...tests, ')', '-printf', '%P\\0'];
  const options = { encoding: 'latin1', env: { PATH: '/usr/bin:/bin' }, maxBuffer: 1_048_576 } as const;
  // A folder that it may not enter makes it fail after all others were looked at.
  const { stdout } = await promisify(execFile)('find', args, options).catch((error: { stdout?: string }) => ({
    stdout: error.stdout ?? '',
  }));
  return stdout
    .split('\0')
    .filter((path) => path !== '')
    .map((path) => [inodeAt(`${byteString(root)}/${path}`), path] as const);
}

function inodeAt(absolute: string): string {
  return inodeOf(lstatSync(onDisk(absolute), { throwIfNoEntry: false }));
}

/** Whatever was put in its place meanwhile is hidden by the same rule, and goes. */
function moveTo(rootBytes: string, present: string, path: string): void {
  const from = namesOf(present);
  const to = namesOf(path);
  makeFolders(rootBytes, to.folders);
  withSteadyFolder(rootBytes, from.folders, (source) =>
    withSteadyFolder(rootBytes, to.folders, (target) => {
      const place = onDisk(`${target}/${to.name}`);
      rmSync(place, { recursive: true, force: true });
      renameSync(onDisk(`${source}/${from.name}`), place);
    }),
  );
}

function namesOf(path: string): { readonly folders: readonly string[]; readonly name: string } {
  const folders = path.split('/');
  const name = folders.pop() ?? '';
  return { folders, name };
}

/** Those that were moved away; they belong to whom the workspace belongs to. */
function makeFolders(rootBytes: string, names: readonly string[]): void {
  const { uid, gid } = lstatSync(onDisk(rootBytes));
  names.forEach((name, at) =>
    withSteadyFolder(rootBytes, names.slice(0, at), (folder) => {
      const place = onDisk(`${folder}/${name}`);
      if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) return;
      mkdirSync(place, { mode: 0o755 });
      if (process.getuid?.() === 0) chownSync(place, uid, gid);
    }),
  );
}

/**
 * Takes back what a command has put in the place of something protected, or made where there was nothing to protect: a mount can't
 * hold a name that does not exist, nor a link. What is taken back is moved to a folder of ours, since a person who works in the same
 * folder may have made it.
 */
import { cpSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { OWN_TEMP_PREFIX } from '../walk.js';
import { byteString, onDisk, readable } from './byte-path.js';
import { isHarmlessPart } from './git-parts.js';
import { isOwnWrite } from './own-writes.js';
import type { Found } from './protected-tree.js';
import { withSteadyFolder } from './steady-folder.js';
import { identityOf, inodeOf, outermost, partsOf, snapshotOf, type Snapshot } from './workspace-plan.js';

export interface TakeBackOptions {
  readonly root: string;
  readonly before: Snapshot;
  /** What is protected there now. */
  readonly found: readonly Found[];
  /** Folder for what is taken back; made when something is. */
  readonly keepIn: string;
}

/** The paths that were taken back, relative to the workspace. To be called when nothing of the command runs any more. */
export function takeBack({ root, before, found, keepIn }: TakeBackOptions): string[] {
  const rootBytes = byteString(root);
  const parts = found.filter(isProtectedName).flatMap((each) => partsOf(rootBytes, each));
  const now = snapshotOf(rootBytes, parts);
  const foreign = parts
    .filter(({ path: each, role }) => role !== 'pin' && isForeign(each, before, now))
    .map((part) => part.path)
    .filter((each) => !isHarmlessPart(rootBytes, each));
  const whole = outermost(foreign).flatMap((each) => withoutOwn(rootBytes, each));
  whole.forEach((each, index) => moveAway(rootBytes, each, path.join(keepIn, `${Date.now()}-${index}`)));
  const links = [...before.entries.keys()].filter((each) => restoreLink(rootBytes, each, before));
  return [...new Set([...whole, ...links])].map(readable).sort();
}

/** What the workspace's own list hides may come and go; our own temporary files are being written by tools. */
function isProtectedName({ path: each, role }: Found): boolean {
  if (role !== 'hidden') return true;
  const name = each.slice(each.lastIndexOf('/') + 1).toLowerCase();
  return name.startsWith('.bullpen') && !name.startsWith(OWN_TEMP_PREFIX);
}

/** A command can't replace what a mount covers, but in another folder of the same name. So what else has changed, a person has. */
function isForeign(each: string, before: Snapshot, now: Snapshot): boolean {
  const present = now.entries.get(each);
  if (present === undefined || before.identities.has(identityOf(present))) return false;
  const was = before.entries.get(each);
  return was === undefined || was.target !== null || was.folderInode !== present.folderInode;
}

/** What tools wrote meanwhile, with a person's consent, stays: of a folder that they made, only the rest goes. */
function withoutOwn(rootBytes: string, each: string): string[] {
  const stats = lstatSync(onDisk(`${rootBytes}/${each}`), { throwIfNoEntry: false });
  if (!isOwnWrite(inodeOf(stats))) return [each];
  if (!stats?.isDirectory()) return [];
  const names = readdirSync(onDisk(`${rootBytes}/${each}`), 'latin1');
  return names.flatMap((name) => withoutOwn(rootBytes, `${each}/${name}`));
}

function moveAway(rootBytes: string, each: string, keepIn: string): void {
  const names = each.split('/');
  const name = names.pop() ?? '';
  mkdirSync(keepIn, { recursive: true, mode: 0o700 });
  const kept = onDisk(`${byteString(keepIn)}/${name}`);
  withSteadyFolder(rootBytes, names, (folder) => {
    const present = onDisk(`${folder}/${name}`);
    try {
      renameSync(present, kept);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
      copyThenRemove(String(present), String(kept));
    }
  });
}

/** On another disk. That it goes counts for more than that it is kept. */
function copyThenRemove(present: string, kept: string): void {
  try {
    cpSync(present, kept, { recursive: true, verbatimSymlinks: true });
  } finally {
    rmSync(present, { recursive: true, force: true });
  }
}

/** Puts a link back that was protected and is gone; true when it was needed. Not when its folder is another one by now. */
function restoreLink(rootBytes: string, each: string, { entries }: Snapshot): boolean {
  const was = entries.get(each);
  if (was === undefined || was.target === null) return false;
  const { target, folderInode } = was;
  const names = each.split('/');
  const name = names.pop() ?? '';
  try {
    return withSteadyFolder(rootBytes, names, (folder) => {
      const isSame = inodeOf(lstatSync(`${folder}/.`)) === folderInode;
      if (!isSame || lstatSync(onDisk(`${folder}/${name}`), { throwIfNoEntry: false }) !== undefined)
        return false;
      symlinkSync(onDisk(target), onDisk(`${folder}/${name}`));
      return true;
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return false;
    throw error;
  }
}

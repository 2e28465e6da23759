/** What a box does with a workspace as it is now: which mounts cover it, and what it looked like, for the comparison afterwards. */
import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { HiddenPaths } from '../hidden-paths.js';
import { placeOfPath } from '../place-of-path.js';
import { byteString, onDisk, readable } from './byte-path.js';
import type { BoxRole, EntryKind } from './box-rules.js';
import { otherNames } from './other-names.js';
import type { Argument, WorkspaceMounts } from './profile.js';
import type { Found } from './protected-tree.js';
import { decidingParts } from './repository.js';

/** What was there before a command, by path relative to the workspace (byte strings). */
export interface Snapshot {
  readonly entries: ReadonlyMap<string, SnapshotEntry>;
  /** All of them by what they are, wherever they are moved with their folder. */
  readonly identities: ReadonlySet<string>;
}

export interface SnapshotEntry {
  readonly inode: string;
  /** Of the folder that it is in. */
  readonly folderInode: string;
  /** Where a link leads. */
  readonly target: string | null;
}

export interface WorkspacePlan {
  readonly mounts: WorkspaceMounts;
  readonly snapshot: Snapshot;
}

/** One path with what is to be done about it. */
interface Place {
  readonly path: string;
  readonly kind: EntryKind;
  readonly role: Exclude<BoxRole, 'repository'> | 'pin';
}

/** From what the walk has found: a mount for each protected place, and something to compare with afterwards. */
export function planWorkspace(root: string, found: readonly Found[]): WorkspacePlan {
  const rootBytes = byteString(root);
  const parts = found.flatMap((each) => partsOf(rootBytes, each));
  const snapshot = snapshotOf(rootBytes, parts);
  const hidden = HiddenPaths.of(root);
  const places = parts
    .map((each) => (each.kind === 'link' ? targetOf(root, each, hidden) : each))
    .filter((each) => each !== null);
  return { snapshot, mounts: mountsOf(rootBytes, [...places, ...otherPlaces(rootBytes, places)]) };
}

/** The same files under other names. */
function otherPlaces(rootBytes: string, places: readonly Place[]): Place[] {
  const files = places
    .filter(({ kind }) => kind === 'file')
    .flatMap((place) => {
      const stats = lstatSync(onDisk(`${rootBytes}/${place.path}`), { throwIfNoEntry: false });
      if (stats === undefined || stats.nlink < 2) return [];
      return [{ place, path: place.path, inode: stats.ino, names: stats.nlink }];
    });
  if (files.length === 0) return [];
  const others = otherNames(rootBytes, files);
  return files.flatMap(({ place, inode }) => (others.get(inode) ?? []).map((path) => ({ ...place, path })));
}

/** A repository is not covered as a whole: it is held in its place, and what decides in it can't be written. */
export function partsOf(rootBytes: string, { path, kind, role }: Found): Place[] {
  if (role !== 'repository') return [{ path, kind, role }];
  const deciding = decidingParts(`${rootBytes}/${path}`).map((part) => ({
    path: part.path.slice(rootBytes.length + 1),
    kind: part.kind,
    role: 'keep' as const,
  }));
  return [{ path, kind, role: 'pin' }, ...deciding];
}

/** Where a link leads is protected in its stead; null when that is outside, where nothing is in a box, or not there. */
function targetOf(root: string, link: Place, hidden: HiddenPaths): Place | null {
  const { relative } = placeOfPath(root, `${root}/${readable(link.path)}`, hidden);
  if (relative === null || relative === '') return null;
  const stats = lstatSync(`${root}/${relative}`, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return null;
  return { path: byteString(relative), kind: stats.isDirectory() ? 'folder' : 'file', role: link.role };
}

function mountsOf(rootBytes: string, places: readonly Place[]): WorkspaceMounts {
  const isHidden = ({ role }: Place): boolean => role === 'secret' || role === 'hidden';
  const folders = places.filter((each) => isHidden(each) && each.kind === 'folder');
  const hiddenFolders = outermost(folders.map(({ path }) => path));
  const gone = new Set(hiddenFolders);
  const seen = places.filter(({ path }) => !foldersAbove(path).some((folder) => gone.has(folder)));
  const kept = outermost(seen.filter(({ role }) => role === 'keep').map(({ path }) => path));
  const absolute = (paths: Iterable<string>): Argument[] =>
    [...new Set(paths)].map((path) => onDisk(`${rootBytes}/${path}`));
  return {
    pinned: absolute(seen.filter(({ role }) => role === 'pin').map(({ path }) => path)),
    readOnly: absolute(kept),
    hiddenFolders: absolute(hiddenFolders),
    hiddenFiles: absolute(
      seen.filter((each) => isHidden(each) && each.kind !== 'folder').map(({ path }) => path),
    ),
  };
}

/** Without those that lie in another one. */
export function outermost(given: readonly string[]): string[] {
  const paths = new Set(given);
  const isInAnother = (path: string): boolean => foldersAbove(path).some((folder) => paths.has(folder));
  return [...paths].filter((path) => !isInAnother(path));
}

function foldersAbove(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** What is at these places now; those that are not there are left out. */
export function snapshotOf(rootBytes: string, places: readonly Pick<Place, 'path'>[]): Snapshot {
  const entries = new Map<string, SnapshotEntry>();
  const folders = new Map<string, string>();
  for (const { path } of places) {
    const absolute = `${rootBytes}/${path}`;
    const stats = lstatSync(onDisk(absolute), { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const folder = absolute.slice(0, absolute.lastIndexOf('/'));
    const folderInode = folders.get(folder) ?? inodeOf(lstatSync(onDisk(folder), { throwIfNoEntry: false }));
    folders.set(folder, folderInode);
    entries.set(path, {
      inode: inodeOf(stats),
      folderInode,
      target: stats.isSymbolicLink() ? readlinkSync(onDisk(absolute), 'latin1') : null,
    });
  }
  return { entries, identities: new Set([...entries.values()].map(identityOf)) };
}

/** No command can free the inode of a file that a mount covers; that of a link it can, and make something else of it. */
export function identityOf({ inode, target }: SnapshotEntry): string {
  return target === null ? inode : `${inode} -> ${target}`;
}

/** Tells files apart for as long as they exist; empty for none. */
export function inodeOf(stats: Stats | undefined): string {
  return stats === undefined ? '' : `${stats.dev}:${stats.ino}`;
}

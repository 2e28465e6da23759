/**
 * Covers paths before bubblewrap starts, in a mount namespace of its own that the box is then made in. For many files, because bubblewrap
 * reads the table of mounts again for each one: 500 take 700 ms, and here a tenth. And beside other commands in the same workspace, which
 * may put a link in the way: bubblewrap would make what is missing where the link leads, and this makes nothing anywhere.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CommandUser } from './command-user.js';
import type { Argument, WorkspaceMounts } from './profile.js';

/** So many are still cheaper without a stage. */
const FEW = 30;

export interface Stage {
  /** What is put in front of bubblewrap; it drops to the user when there is one to drop to. */
  readonly launcher: readonly string[];
  /** What is left for bubblewrap to cover. */
  readonly mounts: WorkspaceMounts;
  /** To be called when the box is up. */
  remove(): void;
}

let count = 0;

export interface StageOptions {
  /** Whether nothing else runs in the workspace. */
  readonly alone: boolean;
  /** What covers a hidden file. */
  readonly empty: string;
  readonly folder: string;
  /** What we, as root, drop to; null when we are an ordinary user. */
  readonly user: CommandUser | null;
}

/** Null when there is no need for it. */
export function stageFor(mounts: WorkspaceMounts, options: StageOptions): Stage | null {
  const { alone, empty, folder, user } = options;
  const { pinned, readOnly, hiddenFolders, hiddenFiles } = mounts;
  const isFew = readOnly.length + hiddenFiles.length <= FEW;
  if (alone ? isFew : placesOf(mounts).length === 0) return null;
  const lines = [
    ...pinned.map((place) => line(place, place, 'none bind')),
    ...readOnly.map((place) => line(place, place, 'none bind,ro')),
    ...hiddenFolders.map((place) => line('tmpfs', place, 'tmpfs ro,mode=0000,size=4k')),
    ...hiddenFiles.map((place) => line(empty, place, 'none bind,ro')),
  ];
  const table = path.join(folder, `${process.pid}-${(count += 1)}.mounts`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(table, Buffer.concat(lines), { mode: 0o600 });
  return {
    launcher: user === null ? asUser(table) : asRoot(table, user),
    mounts: { pinned: [], readOnly: [], hiddenFolders: [], hiddenFiles: [] },
    remove: () => rmSync(table, { force: true }),
  };
}

/** All paths that are covered or held in their place. */
export function placesOf({ pinned, readOnly, hiddenFolders, hiddenFiles }: WorkspaceMounts): Argument[] {
  return [...pinned, ...readOnly, ...hiddenFolders, ...hiddenFiles];
}

function line(source: Argument, destination: Argument, how: string): Buffer {
  return Buffer.from(`${escaped(source)} ${escaped(destination)} ${how} 0 0\n`, 'latin1');
}

/** As in tables of mounts, where blanks and backslashes of a path stand as octal numbers: one character for each byte. */
export function escaped(place: Argument): string {
  const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return Buffer.from(place as string)
    .toString('latin1')
    .replace(/[ \t\n\\]/g, octal);
}

const mountThen = (rest: string): readonly string[] => [
  '/bin/sh',
  '-c',
  `mount -n --fstab "$1" -a && shift && exec ${rest} "$@"`,
  'sh',
];

function asUser(table: string): string[] {
  return ['unshare', '-Um', '--map-root-user', '--propagation', 'private', ...mountThen(''), table];
}

function asRoot(table: string, { uid, gid }: CommandUser): string[] {
  const drop = `setpriv --reuid ${uid} --regid ${gid} --clear-groups`;
  return ['unshare', '-m', '--propagation', 'private', ...mountThen(drop), table];
}

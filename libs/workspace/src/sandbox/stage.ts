/**
 * Many files to cover: bubblewrap reads the table of mounts again for each one, so that 500 take 700 ms. Above a few they are covered
 * before it starts, in a mount namespace of its own that the box is then made in: all by one program, in one tenth of the time.
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

/**
 * Null when there is no need for it.
 * @param empty what covers a hidden file
 * @param user what we, as root, drop to; null when we are an ordinary user
 */
export function stageFor(
  mounts: WorkspaceMounts,
  {
    empty,
    folder,
    user,
  }: { readonly empty: string; readonly folder: string; readonly user: CommandUser | null },
): Stage | null {
  const { readOnly, hiddenFiles } = mounts;
  if (readOnly.length + hiddenFiles.length <= FEW) return null;
  const lines = [
    ...readOnly.map((place) => line(place, place)),
    ...hiddenFiles.map((place) => line(empty, place)),
  ];
  const table = path.join(folder, `${process.pid}-${(count += 1)}.mounts`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(table, Buffer.concat(lines), { mode: 0o600 });
  return {
    launcher: user === null ? asUser(table) : asRoot(table, user),
    mounts: { ...mounts, readOnly: [], hiddenFiles: [] },
    remove: () => rmSync(table, { force: true }),
  };
}

/** As in fstab, where blanks and backslashes of a path stand as octal numbers. */
function line(source: Argument, destination: Argument): Buffer {
  return Buffer.concat([
    escaped(source),
    Buffer.from(' '),
    escaped(destination),
    Buffer.from(' none bind,ro 0 0\n'),
  ]);
}

function escaped(place: Argument): Buffer {
  const text = Buffer.from(place as string).toString('latin1');
  const octal = (char: string): string => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
  return Buffer.from(text.replace(/[\s\\#]/g, octal), 'latin1');
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

/**
 * Small files of our own that stand in a box for those of the machine: who is who, how names are found, an empty file for what is
 * hidden. They are made once for an installation and never changed, so that workers share them.
 */
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OURS_TO_PASS, ownFolder } from '@bullpen/platform';
import type { CommandUser } from './command-user.js';
import { makeOnce } from './made-once.js';

const NOBODY = 65_534;
/** The user that a command is in its box, and its home there. */
export const BOX_USER = { uid: 1_000, gid: 1_000, name: 'agent', home: '/box/home' } as const;

/** By the path in the box. Git's identity is the last that it would take: a repository's own wins. */
const filesFor = ({ uid, gid }: CommandUser): Readonly<Record<string, string>> => ({
  '/etc/passwd': [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `${BOX_USER.name}:x:${uid}:${gid}:Agent:${BOX_USER.home}:/bin/bash`,
    ...(uid === NOBODY ? [] : [`nobody:x:${NOBODY}:${NOBODY}:nobody:/nonexistent:/usr/sbin/nologin`]),
    '',
  ].join('\n'),
  '/etc/group': `root:x:0:\n${BOX_USER.name}:x:${gid}:\n${gid === NOBODY ? '' : `nogroup:x:${NOBODY}:\n`}`,
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nshadow: files\nhosts: files\n',
  '/etc/hosts': '127.0.0.1 localhost box\n::1 localhost\n',
  '/etc/gitconfig': '[user]\n\tname = Agent\n\temail = agent@localhost\n',
});

export interface OwnFiles {
  /** Path outside, path in the box. */
  readonly binds: readonly (readonly [source: string, destination: string])[];
  /** An empty file that nobody may write. */
  readonly empty: string;
  /** An empty folder that nobody may look into. */
  readonly emptyFolder: string;
}

/**
 * Makes them below `folder`, which only this installation writes to and the command user can enter. `user`: who the command is in its
 * box, where that is not ours to choose.
 */
export function ownFiles(folder: string, user: CommandUser = BOX_USER): OwnFiles {
  const files = filesFor(user);
  const version = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12);
  const place = path.join(folder, `etc-${version}`);
  const binds = Object.keys(files).map((name) => [path.join(place, path.basename(name)), name] as const);
  ownFolder(folder, OURS_TO_PASS);
  makeOnce(place, (made) => {
    for (const [name, text] of [...Object.entries(files), ['empty', '']] as const)
      writeReadable(path.join(made, path.basename(name)), text);
    mkdirSync(path.join(made, 'empty-folder'), { mode: 0 });
  });
  return { binds, empty: path.join(place, 'empty'), emptyFolder: path.join(place, 'empty-folder') };
}

/** Whatever the umask is. */
function writeReadable(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o444);
}

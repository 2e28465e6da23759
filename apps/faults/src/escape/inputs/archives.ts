/** Hostile archives: taken apart by commands in the box, by careful programs and by a trusting one; then our tools meet what came out. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { input, type Attack } from '../attack.js';
import type { Arena } from '../arena.js';
import { TRUSTING_EXTRACTOR } from '../archives/extract.js';
import { paxHeader, tar } from '../archives/tar.js';
import { zip } from '../archives/zip.js';

interface Hostile {
  readonly bytes: Buffer;
  /** What the tools are asked for afterwards, beside the workspace as a whole. */
  readonly paths: readonly string[];
}

const EVIL = 'written by an archive\n';
const LINK = 0o120777;

/** By name, made for a place outside: a neighbour's workspace. */
const TARS: Readonly<Record<string, (outside: string, arena: Arena) => Hostile>> = {
  dotdot: () => ({ bytes: tar({ name: '../task_neighbour/secret.txt', content: EVIL }), paths: [] }),
  'dotdot-deep': () => ({
    bytes: tar({ name: `${'../'.repeat(12)}tmp/bullpen-escaped`, content: EVIL }),
    paths: [],
  }),
  absolute: (outside) => ({ bytes: tar({ name: `${outside}/bullpen-escaped`, content: EVIL }), paths: [] }),
  'absolute-system': () => ({ bytes: tar({ name: '/etc/bullpen-escaped', content: EVIL }), paths: [] }),
  'link-then-file': (outside) => ({
    bytes: tar({ name: 'a', type: '2', target: `${outside}/secret.txt` }, { name: 'a', content: EVIL }),
    paths: ['a'],
  }),
  'folder-link-then-file': (outside) => ({
    bytes: tar({ name: 'd', type: '2', target: outside }, { name: 'd/secret.txt', content: EVIL }),
    paths: ['d', 'd/secret.txt', 'd/bullpen-escaped'],
  }),
  'relative-link-then-file': () => ({
    bytes: tar(
      { name: 'd', type: '2', target: '../task_neighbour' },
      { name: 'd/secret.txt', content: EVIL },
    ),
    paths: ['d/secret.txt'],
  }),
  'two-links': (outside) => ({
    bytes: tar(
      { name: 'x', type: '2', target: '.' },
      { name: 'x/y', type: '2', target: outside },
      { name: 'y/secret.txt', content: EVIL },
    ),
    paths: ['y/secret.txt', 'x/y/secret.txt'],
  }),
  'link-to-parent-twice': () => ({
    bytes: tar(
      { name: 'up', type: '2', target: '..' },
      { name: 'up/up2', type: '2', target: 'task_neighbour' },
      { name: 'up/task_neighbour/secret.txt', content: EVIL },
    ),
    paths: ['up/task_neighbour/secret.txt'],
  }),
  'hard-link': (outside) => ({
    bytes: tar({ name: 'h', type: '1', target: `${outside}/secret.txt` }, { name: 'h', content: EVIL }),
    paths: ['h'],
  }),
  'hard-link-through-links': (outside) => ({
    bytes: tar(
      { name: 'a', type: '2', target: 'b/..' },
      { name: 'b', type: '2', target: outside },
      { name: 'h', type: '1', target: 'b/secret.txt' },
      { name: 'h', content: EVIL },
    ),
    paths: ['h', 'b/secret.txt'],
  }),
  'hard-link-to-link': (outside) => ({
    bytes: tar(
      { name: 'l', type: '2', target: `${outside}/secret.txt` },
      { name: 'h', type: '1', target: 'l' },
      { name: 'h', content: EVIL },
    ),
    paths: ['h', 'l'],
  }),
  'link-to-environment': () => ({
    bytes: tar(
      { name: 'e', type: '2', target: '/proc/self/environ' },
      { name: 'p', type: '2', target: '/proc/1' },
    ),
    paths: ['e', 'p/environ'],
  }),
  devices: () => ({
    bytes: tar(
      { name: 'mem', type: '3', mode: 0o666 },
      { name: 'disk', type: '4', mode: 0o666 },
      { name: 'p', type: '6' },
    ),
    paths: ['mem', 'disk'],
  }),
  'set-uid': () => ({ bytes: tar({ name: 'su', content: '#!/bin/sh\nid\n', mode: 0o6777 }), paths: ['su'] }),
  'pax-path': (outside) => ({
    bytes: tar(paxHeader({ path: `${outside}/bullpen-escaped` }), { name: 'innocent', content: EVIL }),
    paths: ['innocent'],
  }),
  'long-name': () => ({
    bytes: tar(
      { name: '././@LongLink', type: 'L', content: `${'../'.repeat(60)}tmp/bullpen-escaped\0` },
      { name: 'innocent', content: EVIL },
    ),
    paths: ['innocent'],
  }),
  'long-path': () => ({
    bytes: tar(
      { name: '././@LongLink', type: 'L', content: `${'n'.repeat(5_000)}/x\0` },
      { name: 'n', content: EVIL },
    ),
    paths: ['.'],
  }),
  'git-hook': () => ({
    bytes: tar(
      { name: '.git/hooks/post-checkout', content: '#!/bin/sh\ntouch /tmp/bullpen-escaped\n', mode: 0o755 },
      { name: '.git/config', content: '[core]\n\tfsmonitor = "touch /tmp/bullpen-escaped;"\n' },
      { name: '.git/commondir', content: '/tmp\n' },
    ),
    paths: ['.git/config'],
  }),
  'hiding-file': () => ({
    bytes: tar(
      { name: '.bullpenignore', type: '2', target: '/dev/null' },
      { name: '.bullpen/left-out.json', content: '[' },
    ),
    paths: ['.bullpenignore'],
  }),
  'link-over-folder': (outside) => ({
    bytes: tar(
      { name: 'd', type: '5', mode: 0o755 },
      { name: 'd/in', content: EVIL },
      { name: 'd', type: '2', target: outside },
      { name: 'd/secret.txt', content: EVIL },
    ),
    paths: ['d/secret.txt', 'd/in'],
  }),
  'false-size': () => ({
    bytes: tar({ name: 'big', content: 'x', size: 8 * 1_024 ** 3 - 1 }),
    paths: ['big'],
  }),
};

const ZIPS: typeof TARS = {
  dotdot: () => ({ bytes: zip({ name: '../task_neighbour/secret.txt', content: EVIL }), paths: [] }),
  absolute: (outside) => ({ bytes: zip({ name: `${outside}/bullpen-escaped`, content: EVIL }), paths: [] }),
  backslashes: () => ({
    bytes: zip({ name: '..\\task_neighbour\\secret.txt', content: EVIL }),
    paths: ['..\\task_neighbour\\secret.txt'],
  }),
  'link-then-file': (outside) => ({
    bytes: zip({ name: 'd', content: outside, mode: LINK }, { name: 'd/secret.txt', content: EVIL }),
    paths: ['d/secret.txt', 'd'],
  }),
  'two-links': (outside) => ({
    bytes: zip(
      { name: 'x', content: '.', mode: LINK },
      { name: 'x/y', content: outside, mode: LINK },
      { name: 'x/y/secret.txt', content: EVIL },
    ),
    paths: ['y/secret.txt', 'x/y/secret.txt'],
  }),
  'two-names': () => ({
    bytes: zip({ name: '../../../tmp/bullpen-escaped', listedAs: 'innocent', content: EVIL }),
    paths: ['innocent'],
  }),
  'link-to-environment': () => ({
    bytes: zip({ name: 'e', content: '/proc/self/environ', mode: LINK }),
    paths: ['e'],
  }),
  'git-hook': () => ({
    bytes: zip({
      name: '.git/hooks/pre-commit',
      content: '#!/bin/sh\ntouch /tmp/bullpen-escaped\n',
      mode: 0o100755,
    }),
    paths: ['.git/hooks/pre-commit'],
  }),
  'set-uid': () => ({
    bytes: zip({ name: 'su', content: '#!/bin/sh\nid\n', mode: 0o106777 }),
    paths: ['su'],
  }),
};

/** Careful programs first, in a folder of their own; where one is not installed, its line does nothing. */
const EXTRACT = {
  tar: 'mkdir c && tar -C c -xf "$ARCHIVE"; tar -xPf "$ARCHIVE"; tar --absolute-names --overwrite -h -xf "$ARCHIVE"',
  zip: 'mkdir c; command -v unzip >/dev/null && { unzip -qo -d c "$ARCHIVE"; unzip -qo -: "$ARCHIVE"; }',
} as const;

function archive(kind: keyof typeof EXTRACT, name: string, make: (typeof TARS)[string]): Attack {
  return input(
    `${kind}-${name}`,
    `an archive is taken apart: ${kind}, ${name.replaceAll('-', ' ')}`,
    async (arena) => {
      const { bytes, paths } = make(arena.neighbour, arena);
      writeFileSync(join(arena.workspace, `a.${kind}`), bytes);
      arena.giveAll(arena.workspace);
      const commands = `ARCHIVE=$PWD/a.${kind}; exec 2>&1\n${EXTRACT[kind]}\n${TRUSTING_EXTRACTOR}\ncat ${paths.map(quoted).join(' ')} </dev/null | head -c 100000`;
      const ran = await arena.run(commands, { timeoutMs: 8_000 });
      const said = [ran.output];
      for (const path of [...paths, ...paths.map((each) => `c/${each}`), '.'])
        said.push(await arena.tools.all(arena.workspace, path));
      return arena.canaries.seenIn(said.join('\n'));
    },
  );
}

/** A megabyte that unpacks to a gigabyte: the largest file that a command may write is smaller. */
const bomb = input('tar-bomb', 'an archive of 1 MB unpacks to 1 GB', async (arena) => {
  const ran = await arena.run(
    'head -c 100000000 /dev/zero | gzip -1 > a.gz; for n in 1 2 3 4 5 6 7 8 9 10 11; do cat a.gz; done > b.gz; ' +
      'gzip -dc b.gz > big; ls -l; rm -f big a.gz b.gz',
    { timeoutMs: 30_000 },
  );
  return arena.canaries.seenIn(ran.output);
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export const archives: readonly Attack[] = [
  ...Object.entries(TARS).map(([name, make]) => archive('tar', name, make)),
  ...Object.entries(ZIPS).map(([name, make]) => archive('zip', name, make)),
  { ...bomb, once: true },
];

/** Links that a command planted, then met by tools that are in no box. */
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { input, type Attack } from '../attack.js';
import type { Arena } from '../arena.js';

/** By name: plants, and gives the path that the tools are asked for. */
const LINKS: Readonly<Record<string, (arena: Arena, at: (name: string) => string) => string>> = {
  'to-file': ({ home }, at) => link(join(home, 'key'), at('a'), 'a'),
  'to-folder': ({ neighbour }, at) => link(neighbour, at('a'), 'a'),
  'to-file-in-folder': ({ neighbour }, at) => link(neighbour, at('a'), 'a/secret.txt'),
  'to-root': (_, at) => link('/', at('a'), 'a/etc/passwd'),
  relative: (_, at) => link('../task_neighbour', at('a'), 'a/secret.txt'),
  'relative-from-below': (_, at) => {
    mkdirSync(at('x/y'), { recursive: true });
    return link('../../../task_neighbour/secret.txt', at('x/y/a'), 'x/y/a');
  },
  chain: ({ neighbour }, at) => {
    symlinkSync(neighbour, at('c'));
    symlinkSync('c', at('b'));
    return link('b/secret.txt', at('a'), 'a');
  },
  'in-the-middle': ({ home }, at) => {
    mkdirSync(at('x'));
    symlinkSync(home, at('x/home'));
    return 'x/home/../bullpen/key';
  },
  'missing-target': ({ neighbour }, at) => link(join(neighbour, 'bullpen-escaped'), at('a'), 'a'),
  'missing-target-in-folder': ({ folder }, at) => link(join(folder, 'person'), at('a'), 'a/bullpen-escaped'),
  'missing-folder': ({ neighbour }, at) => link(join(neighbour, 'new'), at('a'), 'a/x.txt'),
  loop: (_, at) => {
    symlinkSync('b', at('a'));
    return link('a', at('b'), 'b/x');
  },
  'to-itself': (_, at) => link('a', at('a'), 'a'),
  'long-chain': ({ home }, at) => {
    symlinkSync(join(home, 'key'), at('l0'));
    for (let n = 1; n <= 60; n += 1) symlinkSync(`l${n - 1}`, at(`l${n}`));
    return 'l39';
  },
  'own-folder-and-up': (_, at) => {
    mkdirSync(at('sub'));
    return link(at('sub/../../task_neighbour'), at('a'), 'a/secret.txt');
  },
  'to-environment': (_, at) => link('/proc/self/environ', at('a'), 'a'),
  'to-descriptors': (_, at) => link('/proc/self/fd', at('a'), 'a'),
  'to-root-of-process': ({ home }, at) => link(`/proc/self/root${home}`, at('a'), 'a/key'),
  'to-parent-environment': (_, at) => link(`/proc/${process.ppid}/environ`, at('a'), 'a'),
  'to-endless-device': (_, at) => link('/dev/zero', at('a'), 'a'),
  'ignore-file': ({ home }, at) => link(join(home, 'key'), at('.gitignore'), '.'),
  'git-exclude': ({ home }, at) => {
    mkdirSync(at('.git/info'), { recursive: true });
    return link(join(home, 'key'), at('.git/info/exclude'), '.');
  },
  'git-folder': ({ neighbour }, at) => link(neighbour, at('.git'), '.'),
  'strange-name': ({ home }, at) => link(join(home, 'key'), at('a\n\u001b[2J -> b'), 'a\n\u001b[2J -> b'),
  'target-with-escape': (_, at) => link('/tmp/\u001b]0;x\u0007\n1 match', at('a'), '.'),
};

function byLink(name: string, plant: (typeof LINKS)[string]): Attack {
  return input(`link-${name}`, `the tools meet a link: ${name.replaceAll('-', ' ')}`, async (arena) => {
    arena.files({ 'plain.txt': 'plain\n' });
    const path = plant(arena, (part) => join(arena.workspace, part));
    arena.giveAll(arena.workspace);
    const said = [await arena.tools.all(arena.workspace, path), await arena.tools.all(arena.workspace, '.')];
    return arena.canaries.seenIn(said.join('\n'));
  });
}

/** A hard link has no target that could be seen. What is written replaces the name, never the content. */
const hardLink = input('hard-link', 'the tools write to a second name of a file outside', async (arena) => {
  const file = join(arena.folder, 'shared.txt');
  writeFileSync(file, 'canary of somebody else\n');
  arena.canaries.watch(file);
  linkSync(file, join(arena.workspace, 'a'));
  await arena.tools.all(arena.workspace, 'a');
  return [];
});

function link(target: string, path: string, asked: string): string {
  symlinkSync(target, path);
  return asked;
}

export const links: readonly Attack[] = [
  ...Object.entries(LINKS).map(([name, plant]) => byLink(name, plant)),
  hardLink,
];

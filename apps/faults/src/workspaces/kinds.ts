/**
 * The kinds of things that lie in workspaces: each is made, and then changed the way tasks and users do. `uncovered` names what a checkpoint leaves
 * alone, as the kind's own rules say, not as the product does.
 */
import { renameSync } from 'node:fs';
import type { Tree } from './tree.js';

export interface Kind {
  readonly name: string;
  make(tree: Tree): void;
  change(tree: Tree): void;
  readonly uncovered?: RegExp;
}

const NFC = Buffer.from('caf\u00e9').toString('latin1');
const NFD = Buffer.from('cafe\u0301').toString('latin1');

/** The first one says what kind of repository it is, the others come in any number. */
export const REPOSITORIES: readonly Kind[] = [
  { name: 'no repository', make: () => undefined, change: () => undefined },
  {
    name: 'a repository in which the user commits between two checkpoints',
    make: (tree) => commit(tree, true),
    change: (tree) => {
      tree.write('committed');
      commit(tree);
    },
  },
  {
    name: 'a repository with a submodule',
    make: (tree) => {
      tree.git('init', '-q', '../source');
      tree.git('-C', '../source', 'commit', '-q', '--allow-empty', '-m', 'of the module');
      commit(tree, true);
      tree.git('submodule', '--quiet', 'add', '../source', 'module');
      tree.write('module/code');
    },
    change: (tree) => {
      tree.write('module/code');
      tree.git('-C', 'module', 'add', 'code');
      tree.git('-C', 'module', 'commit', '-qm', 'in the module');
      tree.git('add', 'module');
    },
  },
  {
    name: 'a sparse repository',
    make: (tree) => {
      for (const name of ['in/a', 'out/b']) tree.write(name);
      commit(tree, true);
      tree.git('sparse-checkout', 'set', '--cone', 'in');
      tree.write('out/untracked');
    },
    change: (tree) => {
      tree.write('in/a');
      tree.write('out/another');
    },
  },
  {
    name: 'an LFS repository with filters and settings that run programs',
    make: (tree) => {
      tree.git('init', '-q');
      for (const [setting, program] of HOSTILE) tree.git('config', setting, program);
      tree.write('.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n*.evil filter=evil\n');
      tree.write(
        'big.bin',
        `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`,
      );
      tree.write('f.evil');
    },
    change: (tree) => {
      tree.write('big.bin', Buffer.from([0, 1, 2, 255]));
      tree.write('f.evil');
    },
  },
];

const RAN = 'touch "$PWD/RAN" ../RAN; cat';
const HOSTILE = [
  ['core.fsmonitor', RAN],
  ['core.hooksPath', 'hooks'],
  ['filter.evil.clean', RAN],
  ['filter.evil.smudge', RAN],
  ['filter.lfs.clean', RAN],
  ['filter.lfs.smudge', RAN],
] as const;

export const KINDS: readonly Kind[] = [
  {
    name: 'files of the user, tracked by nobody',
    make: (tree) => ['mine', 'deep/er/mine'].forEach((name) => tree.write(name)),
    change: (tree) => tree.write('deep/er/new'),
  },
  {
    name: 'ignored files',
    make: (tree) => {
      tree.write('.gitignore', '*.log\n/cache/\n');
      for (const name of ['a.log', 'deep/b.log', 'cache/x']) tree.write(name);
    },
    change: (tree) => {
      tree.write('cache/y');
      tree.write('a.log');
    },
    uncovered: /\.log$|^cache(\/|$)/,
  },
  {
    name: 'an ignore file in a folder, edited and not committed',
    make: (tree) => {
      tree.write('pkg/.gitignore', 'out/\n');
      tree.write('pkg/out/made');
      tree.write('pkg/later.tmp');
    },
    change: (tree) => {
      tree.write('pkg/.gitignore', 'out/\n*.never\n');
      tree.write('pkg/made.never');
    },
    uncovered: /^pkg\/out(\/|$)|\.never$/,
  },
  {
    name: 'a repository in the workspace',
    make: (tree) => {
      tree.write('nested/code');
      tree.git('init', '-q', 'nested');
    },
    change: (tree) => tree.write('nested/code'),
  },
  {
    name: 'a rename',
    make: (tree) => tree.write('old name'),
    change: (tree) => renameSync(tree.at('old name'), tree.at('new name')),
  },
  {
    name: 'a file that becomes a folder, and a folder that becomes a file',
    make: (tree) => {
      tree.write('a');
      tree.write('b/c/d');
    },
    change: (tree) => {
      tree.remove('a');
      tree.remove('b');
      tree.write('a/x');
      tree.write('b');
    },
  },
  {
    name: 'bits',
    make: (tree) => {
      tree.write('key.cfg', 'k', 0o600);
      tree.write('run', '#!/bin/sh\n', 0o711);
      tree.write('group', 'g', 0o664);
      tree.write('private/x');
      tree.mode('private', 0o700);
    },
    change: (tree) => {
      tree.mode('run', 0o644);
      tree.mode('group', 0o600);
      tree.mode('private', 0o750);
    },
  },
  {
    name: 'links',
    make: (tree) => {
      tree.link('dangling', 'nowhere');
      tree.link('absolute', '/etc/passwd');
      tree.link('outward', '../../outside');
      tree.write('conf/t');
    },
    change: (tree) => {
      tree.link('dangling', 'elsewhere');
      tree.remove('outward');
      tree.write('outward', 'now a file');
      tree.link('conf', '../outside');
    },
  },
  {
    name: 'odd names',
    make: (tree) => {
      for (const name of [
        NFC,
        NFD,
        'new\nline',
        '-rf',
        '--',
        ' ',
        'tab\t',
        '"quoted" \\',
        'latin-\xe9',
        '*',
        ':(top)x',
      ])
        tree.write(`odd/${name}`);
    },
    change: (tree) => {
      for (const name of [NFD, 'new\nline', '-rf', 'latin-\xe9']) tree.write(`odd/${name}`);
      tree.write('odd/another\nline');
    },
  },
  {
    name: 'ends of lines and attributes',
    make: (tree) => {
      tree.write(
        'eol/.gitattributes',
        '*.ps1 text eol=crlf\n*.v ident\n*.u working-tree-encoding=UTF-16\n* export-ignore\n',
      );
      tree.write('eol/lf.ps1', 'a\nb\n');
      tree.write('eol/mixed.ps1', 'a\r\nb\n');
      tree.write('eol/id.v', '$Id: mine $\n');
      tree.write('eol/plain.u', 'text\n');
    },
    change: (tree) => tree.write('eol/mixed.ps1', 'a\nb\r\n'),
  },
  {
    name: 'empty folders',
    make: (tree) => {
      tree.emptyFolder('empty/deep', 0o750);
      tree.write('full/only');
    },
    change: (tree) => {
      tree.remove('full/only');
      tree.remove('empty/deep');
    },
  },
  {
    name: 'large and binary files',
    make: (tree) => {
      tree.write('zeros', Buffer.alloc(3_000_000));
      tree.write('nothing', '');
    },
    change: (tree) => tree.write('zeros', Buffer.alloc(2_999_999, 1)),
  },
];

function commit(tree: Tree, isFirst = false): void {
  if (isFirst) tree.git('init', '-q');
  tree.write('tracked');
  tree.git('add', 'tracked');
  tree.git('commit', '-qam', 'by the user');
}

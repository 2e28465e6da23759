import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { walk } from './walk.js';

const never = new AbortController().signal;
let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(path.join(tmpdir(), 'walk-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function files(content: Record<string, string>, folder = root): Promise<void> {
  for (const [name, text] of Object.entries(content)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
}

function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', env });
}

function gitFiles(folder: string): string[] {
  const names = git(folder, 'ls-files', '-co', '--exclude-standard', '-z').split('\0').filter(Boolean);
  return names.sort((a, b) => (a < b ? -1 : 1));
}

async function walkedFiles(folder: string): Promise<string[]> {
  return (await walk(folder, {}, never)).filter((entry) => entry.kind === 'file').map((entry) => entry.path);
}

describe('the walk over a workspace', () => {
  it('lists hidden files, empty folders and links, but neither .git nor .bullpen nor half-written files', async () => {
    await files({ '.env': '', 'b/c': '', '.git/config': '', '.bullpen/db': '', 'b/.bullpen-tmp-x': '' });
    await mkdir(path.join(root, 'empty'));
    await symlink('nowhere', path.join(root, 'dangling'));
    expect(await walk(root, {}, never)).toEqual([
      { path: '.env', kind: 'file' },
      { path: 'b', kind: 'folder' },
      { path: 'b/c', kind: 'file' },
      { path: 'dangling', kind: 'link' },
      { path: 'empty', kind: 'folder' },
    ]);
  });

  it('stops at the depth and starts where it is told, under the rules from above', async () => {
    await files({ '.gitignore': '*.log\n', 'a/x.log': '', 'a/y': '', 'a/b/z': '' });
    expect((await walk(root, { from: 'a', maxDepth: 1 }, never)).map((entry) => entry.path)).toEqual([
      'a/b',
      'a/y',
    ]);
  });

  it('obeys .gitignore outside of a repository, and walks an ignored folder that is asked for', async () => {
    await files({ '.gitignore': 'out/\n', 'out/x': '', y: '' });
    expect(await walkedFiles(root)).toEqual(['.gitignore', 'y']);
    expect((await walk(root, { from: 'out' }, never)).map((entry) => entry.path)).toEqual(['out/x']);
  });

  it('obeys the rules of the repository around a folder, unless that repository ignores the folder', async () => {
    await files({ '.gitignore': 'dist/\ndata/\n', 'pkg/dist/x': '', 'pkg/src/y': '', 'data/ws/dist/x': '' });
    git(root, 'init', '-q');
    expect(await walkedFiles(path.join(root, 'pkg'))).toEqual(['src/y']);
    expect(await walkedFiles(path.join(root, 'data/ws'))).toEqual(['dist/x']);
  });

  it('agrees with git on nested ignore files, negations and odd names', async () => {
    git(root, 'init', '-q');
    await files({
      '.git/info/exclude': 'excluded\n',
      '.gitignore':
        '\uFEFF# comment\n*.log\r\n!keep.log\nbuild\n/anchored\nsub/**/deep\n**/gen/\nlogs/**\n!logs/keep\nspace\\ \n\\#hash\n\\!bang\nq?x\n[a-c]1\n[!a-c]2\n[unclosed\nfoo*bar*baz\n',
      'sub/.gitignore': '!build\n!*.log\nlocal/\n/top\n',
      'a.log': '',
      'keep.log': '',
      'build/x': '',
      'sub/build/x': '',
      'sub/b.log': '',
      'sub/local/f': '',
      'sub/top': '',
      'sub/z/top': '',
      anchored: '',
      'z/anchored': '',
      'sub/deep': '',
      'sub/a/b/deep': '',
      'x/gen/f': '',
      gen: '',
      'logs/x': '',
      'logs/keep': '',
      'space ': '',
      space: '',
      '#hash': '',
      '!bang': '',
      qax: '',
      qx: '',
      b1: '',
      d1: '',
      b2: '',
      d2: '',
      '[unclosed': '',
      foobarbaz: '',
      foo1bar2baz: '',
      excluded: '',
      '한글/각': '',
      '👍/x y': '',
      '-rf': '',
      'new\nline': '',
    });
    expect(await walkedFiles(root)).toEqual(gitFiles(root));
  });

  it('agrees with git on any ignore file', async () => {
    git(root, 'init', '-q');
    const name = fc.constantFrom('a', 'b', 'ab', 'a.b', 'ba');
    const depth3 = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    const part = fc.constantFrom(
      'a',
      'b',
      '*',
      '**',
      'a*',
      '*b',
      '?',
      '[ab]',
      '[!a]',
      'a?b',
      '*.*',
      '\\a',
      'ab',
    );
    const rule = fc
      .tuple(
        fc.constantFrom('', '!', '/'),
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', '/', ' '),
      )
      .map(([start, parts, end]) => start + parts.join('/') + end);
    const rules = fc.array(rule, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(depth3, { minLength: 3, maxLength: 12 }),
        rules,
        rules,
        async (paths, top, nested) => {
          const folder = await mkdtemp(path.join(root, 'run-'));
          git(folder, 'init', '-q');
          // A path that is a folder of another one can't be a file: left out.
          const leaves = paths.filter((one) => !paths.some((other) => other.startsWith(`${one}/`)));
          await files(Object.fromEntries(leaves.map((leaf) => [leaf, ''])), folder);
          await writeFile(path.join(folder, '.gitignore'), `${top.join('\n')}\n`);
          if (leaves.some((leaf) => leaf.startsWith('a/')))
            await writeFile(path.join(folder, 'a/.gitignore'), `${nested.join('\n')}\n`);
          expect(await walkedFiles(folder)).toEqual(gitFiles(folder));
          await rm(folder, { recursive: true });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('is not stopped by a rule that makes a backtracking matcher hang', async () => {
    await files({ '.gitignore': `${'*a'.repeat(100)}*b\n`, ['a'.repeat(200)]: '' });
    expect(await walkedFiles(root)).toEqual(['.gitignore', 'a'.repeat(200)]);
  });

  it('ends with the reason of the signal', async () => {
    await expect(walk(root, {}, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  });
});

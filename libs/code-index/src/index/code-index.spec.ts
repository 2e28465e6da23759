/** The index on real folders: which files it reads, and that it never tells of what is not there any more. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { statsOf } from '../query/stats.js';
import { searchCode } from '../query/search.js';
import { findSymbols, meantBy } from '../query/symbols.js';
import { traceCallers, traceDependencies } from '../query/trace.js';
import { CodeIndex } from './code-index.js';
import { FactsStore } from './facts-store.js';
import { decode } from './file-text.js';
import { ParsePool } from './parse-pool.js';

const pool = new ParsePool();
afterAll(() => pool.close());

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bullpen-index-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** The sources of the index itself. */
const OWN_SOURCES = fileURLToPath(new URL('..', import.meta.url));

function hashOf(text: string): string {
  const decoded = decode(Buffer.from(text));
  if (typeof decoded === 'string') throw new Error(decoded);
  return decoded.hash;
}

const never = new AbortController().signal;
const open = (store: FactsStore | null = null) => new CodeIndex(root, { pool, store });

async function viewOf(index = open()) {
  await index.refresh(never);
  return index.view();
}

describe('the files of an index', () => {
  it('are each read once, without what git ignores, other repositories and links', async () => {
    write('a/one.ts', 'export function one() {}\n');
    symlinkSync('..', join(root, 'a/up'));
    write('web/.gitignore', '.output\n');
    write('web/.output/big.js', 'function out() {}\n');
    write('.wt/copy/.git', 'gitdir: elsewhere\n');
    write('.wt/copy/one.ts', 'export function one() {}\n');
    write('clone/.git/HEAD', 'ref: x\n');
    write('clone/two.ts', 'export function two() {}\n');
    write('.gitmodules', '[submodule "sub"]\n\tpath = sub\n\turl = x\n');
    write('sub/.git', 'gitdir: ../.git/modules/sub\n');
    write('sub/three.ts', 'export function three() {}\n');
    const view = await viewOf();
    expect([...view.program.files()].map(({ file }) => file.path).sort()).toEqual([
      'a/one.ts',
      'sub/three.ts',
    ]);
  });

  it('that a program made come last', async () => {
    write('dist.js', `function find(){${'a();'.repeat(2_000)}}\n`);
    write('z.ts', 'export function find() {}\n');
    expect(findSymbols(await viewOf(), 'find').map(({ path }) => path)).toEqual(['z.ts', 'dist.js']);
  });

  it('are read in the encodings of Korean files too, and left out with the reason where they are not text', async () => {
    // "결제" in EUC-KR.
    write(
      'pay.c',
      Buffer.concat([
        Buffer.from('/* '),
        Buffer.from([0xb0, 0xe1, 0xc1, 0xa6]),
        Buffer.from(' */\nint pay_total(void) { return 1; }\n'),
      ]),
    );
    write(
      'wide.ts',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('export function wide() {}\n', 'utf16le')]),
    );
    write('broken.py', Buffer.from([0xff, 0xff, 0x00, 0x81, 0x20]));
    const view = await viewOf();
    expect(['pay_total', 'wide'].map((name) => meantBy(view, name).length)).toEqual([1, 1]);
    expect([...view.skipped.keys()]).toEqual(['broken.py']);
  });

  it('are named with the lines that the parser could not read', async () => {
    write(
      'a.c',
      'int f(int a) {\n#ifdef A\n if (a) {\n#else\n if (!a) {\n#endif\n }\n return 1;\n}\nint g(void) { return 2; }\n',
    );
    const view = await viewOf();
    const names = view.program.topLevel('a.c').map(({ fact }) => fact.name);
    expect(names.includes('f') || 'a.c' in statsOf(view).partlyRead).toBe(true);
  });
});

describe('an index', () => {
  it('answers with the files as they are now, whatever was changed and however', async () => {
    const index = open();
    write('a.ts', 'export function last() { return 1 }\n');
    await viewOf(index);
    write('a.ts', `${'// line\n'.repeat(30)}export function last() { return 2 }\n`);
    expect(findSymbols(await viewOf(index), 'last')).toMatchObject([{ line: 31 }]);
    renameSync(join(root, 'a.ts'), join(root, 'b.ts'));
    expect(findSymbols(await viewOf(index), 'last')).toMatchObject([{ path: 'b.ts' }]);
    rmSync(join(root, 'b.ts'));
    expect(findSymbols(await viewOf(index), 'last')).toEqual([]);
  });

  it('follows git to another branch, and through rebase, amended commit and merge', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        cwd: root,
        stdio: 'pipe',
      });
    const index = open();
    const names = async () => findSymbols(await viewOf(index), 'on').map(({ name }) => name);
    git('init', '-q', '-b', 'main');
    write('a.ts', 'export function onMain() {}\n');
    git('add', '.');
    git('commit', '-qm', 'one');
    git('checkout', '-qb', 'topic');
    write('a.ts', 'export function onTopic() {}\n');
    git('commit', '-qam', 'two');
    expect(await names()).toEqual(['onTopic']);
    git('checkout', '-q', 'main');
    expect(await names()).toEqual(['onMain']);
    write('b.ts', 'export function onBoth() {}\n');
    git('add', '.');
    git('commit', '-qm', 'three');
    git('checkout', '-q', 'topic');
    git('rebase', '-q', 'main');
    expect(await names()).toEqual(['onTopic', 'onBoth']);
    write('b.ts', 'export function onAmended() {}\n');
    git('commit', '-qa', '--amend', '--no-edit');
    git('checkout', '-q', 'main');
    expect(await names()).toEqual(['onMain', 'onBoth']);
    git('merge', '-q', 'topic');
    expect(await names()).toEqual(['onTopic', 'onAmended']);
  });

  it('reads only what is new, also after a restart', async () => {
    write('a.ts', 'export function one() {}\n');
    write('b.ts', `import { one } from './a.js';\nexport function two() { one() }\n`);
    const file = join(root, '.git', 'facts');
    expect(await open(new FactsStore(file)).refresh(never)).toEqual({ files: 2, read: 2, removed: 0 });
    const again = open(new FactsStore(file));
    await again.refresh(never);
    const [one] = meantBy(again.view(), 'one');
    if (one === undefined) throw new Error('one is not there');
    expect(traceCallers(again.view(), one, 1).calls).toMatchObject([
      { name: 'two', path: 'b.ts', line: 2, certainty: 'direct' },
    ]);
    write('b.ts', 'export function two() {}\n');
    expect(await again.refresh(never)).toEqual({ files: 2, read: 1, removed: 0 });
    writeFileSync(file, 'not a cache');
    expect(await open(new FactsStore(file)).refresh(never)).toMatchObject({ files: 2 });
  });

  it('resolves each call to a symbol that is stored, or counts it as not resolved', async () => {
    write('a.ts', 'function f() { g(); h.k(); new C(); nowhere() }\nfunction g() {}\nclass C {}\n');
    const stats = statsOf(await viewOf());
    expect(stats).toMatchObject({ symbols: 3, calls: 4, resolved: 2 });
    expect(stats.resolved + stats.possible + stats.unresolved).toBe(stats.calls);
  });

  it('leads each call of a real package to a symbol that is stored, or to none', async () => {
    const index = new CodeIndex(OWN_SOURCES, { pool, store: null });
    const { program, calls } = await viewOf(index);
    const hanging: string[] = [];
    let count = 0;
    for (const { file } of program.files())
      for (const fact of file.facts.calls)
        for (const { file: its, at, fact: target } of calls.resolve({ file, fact }).targets.keys()) {
          count += 1;
          if (program.symbol(its.path, at)?.fact !== target) hanging.push(`${file.path}:${fact.line}`);
        }
    expect(hanging).toEqual([]);
    expect(count).toBeGreaterThan(500);
  });

  it('knows at once of what is new, although what was worked out before is kept', async () => {
    const index = open();
    write('a.ts', `import { late } from './late';\nfunction use() { late() }\n`);
    const [use] = meantBy(await viewOf(index), 'use');
    if (use === undefined) throw new Error('use is not there');
    expect((await viewOf(index)).calls.calleesOf(use).edges).toEqual([]);
    write('late.ts', 'export function late() {}\n');
    expect((await viewOf(index)).calls.calleesOf(use).edges).toMatchObject([
      { to: { fact: { name: 'late' } } },
    ]);
    write('late.ts', 'export const other = 1;\n');
    expect((await viewOf(index)).calls.calleesOf(use).edges).toEqual([]);
  });

  it('keeps what was read at the end of its file, and writes it anew when most of it is of the past', async () => {
    const file = join(root, '.git', 'facts');
    write('a.ts', 'export function one() {}\n');
    const index = open(new FactsStore(file));
    await index.refresh(never);
    const first = readFileSync(file);
    write('b.ts', 'export function two() {}\n');
    await index.refresh(never);
    expect(readFileSync(file).subarray(0, first.length).equals(first)).toBe(true);
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    const again = open(new FactsStore(file));
    await again.refresh(never);
    expect(findSymbols(again.view(), 'o').map(({ name }) => name)).toEqual(['one', 'two']);
    expect(await new FactsStore(file).get('typescript', hashOf('export function two() {}\n'))).toBeDefined();
  });

  it('is searched for symbols, paths and text at once, without what is ignored or secret', async () => {
    write('src/login.ts', 'export function checkLogin() {}\n');
    write('docs/guide.md', 'How to log in:\nthe LOGIN page.\n');
    write('.gitignore', 'out\n');
    write('out/login.js', 'login\n');
    write('.env', 'LOGIN=secret\n');
    write('a/use.ts', `import { checkLogin } from '../src/login';\n`);
    const search = async (query: string) => searchCode(await viewOf(), root, { query, limit: 10 }, never);
    const found = await search('login');
    expect(found.symbols).toMatchObject([{ name: 'checkLogin', path: 'src/login.ts' }]);
    expect(found.paths).toEqual(['src/login.ts']);
    expect(found.lines).toEqual([
      { path: 'a/use.ts', line: 1, text: `import { checkLogin } from '../src/login';` },
      { path: 'docs/guide.md', line: 2, text: 'the LOGIN page.' },
    ]);
    expect((await search('to log in')).lines).toMatchObject([{ path: 'docs/guide.md', line: 1 }]);
    write('long.md', `${'a'.repeat(300)} far away ${'b'.repeat(300)}\n`);
    expect((await search('far away')).lines[0]?.text).toMatch(/^…a+ far away b+…$/);
    expect(await search('nowhere at all')).toMatchObject({ symbols: [], paths: [], lines: [], isCut: false });
  });

  it('follows imports both ways', async () => {
    write('a.ts', `import './b.js';\nimport fs from 'node:fs';\n`);
    write('b.ts', `export * from './c.js';\n`);
    write('c.ts', 'export const x = 1;\n');
    const view = await viewOf();
    expect(traceDependencies(view, 'a.ts', 'imports', 5).map(({ to, module }) => to ?? module)).toEqual([
      'b.ts',
      'node:fs',
      'c.ts',
    ]);
    expect(traceDependencies(view, 'c.ts', 'importers', 5).map(({ from }) => from)).toEqual(['b.ts', 'a.ts']);
  });
});

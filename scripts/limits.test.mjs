#!/usr/bin/env node
/**
 * Proves that each limit fails where it is broken, and only there. Each test writes a small repository: a limit that stopped seeing files (a
 * pattern that matches none, an import that leads nowhere) looks exactly like a clean one.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findCircles } from './limits/circles.mjs';
import { findDeadExports } from './limits/dead-exports.mjs';
import { findUnnamed } from './limits/dependencies.mjs';
import { findDocstrings } from './limits/docstrings.mjs';
import { readSources } from './limits/sources.mjs';

const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

const ENTRY = { '.': { '@bullpen/source': './src/index.ts' } };
const LIB = { 'libs/one/package.json': JSON.stringify({ name: '@bullpen/one', exports: ENTRY }) };
const APP = { 'apps/app/package.json': JSON.stringify({ name: '@bullpen/app' }) };

test('a circle of imports is found, whether it is of values, of types, or loaded late', () => {
  const back = {
    values: "import { a } from './a.js';\nexport const b = a;",
    types: "import type { A } from './a.js';\nexport type B = A;",
    'a type in place': "export type B = import('./a.js').A;",
    late: "export const b = () => import('./a.js');",
    'passed on': "export * from './a.js';",
  };
  for (const [how, code] of Object.entries(back)) {
    const files = {
      'libs/one/src/a.ts': "import * as c from './c.js';",
      'libs/one/src/b.ts': code,
      'libs/one/src/c.ts': "export * from './b.js';",
    };
    const [circle, ...others] = findCircles(repository({ ...LIB, ...files }));
    assert.deepEqual(circle?.sort(), ['libs/one/src/a.ts', 'libs/one/src/b.ts', 'libs/one/src/c.ts'], how);
    assert.equal(others.length, 0);
  }
});

test('a circle through the names of packages is found', () => {
  const two = { 'libs/two/package.json': JSON.stringify({ name: '@bullpen/two', exports: ENTRY }) };
  const sources = repository({
    ...LIB,
    ...two,
    'libs/one/src/index.ts': "import '@bullpen/two';",
    'libs/two/src/index.ts': "import '@bullpen/one';",
  });
  assert.equal(findCircles(sources).length, 1);
});

test('two ways to the same file are no circle', () => {
  const sources = repository({
    ...LIB,
    'libs/one/src/a.ts': "import './b.js';\nimport './c.js';",
    'libs/one/src/b.ts': "import './c.js';",
    'libs/one/src/c.ts': 'export const c = 1;',
  });
  assert.deepEqual(findCircles(sources), []);
});

test('an import of a package that package.json does not name is found, except in tests', () => {
  const one = { ...LIB, 'libs/one/src/index.ts': 'export const a = 1;' };
  const uses = "import { a } from '@bullpen/one';\na;";
  const app = (dependencies) => ({
    'apps/app/package.json': JSON.stringify({ name: '@bullpen/app', dependencies }),
  });
  const found = (files) => findUnnamed(repository({ ...one, ...files })).unnamed;
  assert.deepEqual(found({ ...app({}), 'apps/app/src/a.ts': uses, 'apps/app/src/b.ts': uses }), [
    'apps/app -> @bullpen/one (apps/app/src/b.ts)',
  ]);
  assert.deepEqual(found({ ...app({ '@bullpen/one': '*' }), 'apps/app/src/a.ts': uses }), []);
  assert.deepEqual(found({ ...app({}), 'apps/app/src/a.spec.ts': uses }), []);
});

test('a name that no other package imports is dead, whatever its own package does with it', () => {
  const own = {
    'libs/one/src/index.ts':
      "export { a, b as c } from './a.js';\nexport * from './d.js';\nexport type { T } from './d.js';",
    'libs/one/src/a.ts': 'export const a = 1;\nexport function b() {}',
    'libs/one/src/d.ts': 'export const d = 1;\nexport interface T {}',
    'libs/one/src/user.ts': "import { a, b } from './a.js';\nimport { d, type T } from './d.js';",
  };
  const dead = [
    'libs/one/src/index.ts T',
    'libs/one/src/index.ts a',
    'libs/one/src/index.ts c',
    'libs/one/src/index.ts d',
  ];
  assert.deepEqual(findDeadExports(repository({ ...LIB, ...own })).dead.sort(), dead);
  const uses = {
    names: "import { a, c as mine, d, type T } from '@bullpen/one';",
    'the whole module': "import * as one from '@bullpen/one';\nconst x: one.T = [one.a, one.c, one.d];",
    'a late import': "const { a, c, d } = await import('@bullpen/one');\ntype T = import('@bullpen/one').T;",
    'the compiled modules':
      "import { a, b } from '../../../libs/one/dist/a.js';\nimport { d, T } from '../../../libs/one/dist/d.js';",
  };
  for (const [how, code] of Object.entries(uses))
    assert.deepEqual(
      findDeadExports(repository({ ...LIB, ...APP, ...own, 'apps/app/src/main.ts': code })).dead,
      [],
      how,
    );
});

test('who passes a name on has not used it', () => {
  const sources = repository({
    ...LIB,
    ...APP,
    'libs/one/src/index.ts': 'export const a = 1;',
    'apps/app/src/main.ts': "export { a } from '@bullpen/one';",
  });
  assert.deepEqual(findDeadExports(sources).dead, ['libs/one/src/index.ts a']);
});

test('functions, classes and interfaces without a docstring are found, in whatever way they are exported', () => {
  const code = `
    export function first() {}
    /** Says why. */
    export function second() {}
    export const third = () => 1, notAFunction = 1;
    /** Says why. */
    export const fourth = async function () {};
    // No docstring.
    export class Fifth {}
    export interface Sixth {}
    function inside() {}
  `;
  const found = findDocstrings(repository({ ...LIB, 'libs/one/src/a.ts': code }));
  const missing = found.filter(({ isDocumented }) => !isDocumented);
  assert.deepEqual(
    missing.map(({ place, kind }) => `${place} ${kind}`),
    [
      'libs/one/src/a.ts:2 first functions',
      'libs/one/src/a.ts:5 third functions',
      'libs/one/src/a.ts:9 Fifth classes',
      'libs/one/src/a.ts:10 Sixth interfaces',
    ],
  );
  assert.equal(found.length, 6);
});

test('a docstring that repeats the name is none', () => {
  const code =
    '/** Creates the client. */\nexport function createClient() {}\n/** Opens a socket to the host. */\nexport function connect() {}';
  const found = findDocstrings(repository({ ...LIB, 'libs/one/src/a.ts': code }));
  assert.deepEqual(
    found.map(({ isDocumented }) => isDocumented),
    [false, true],
  );
});

test('tests need no docstrings', () => {
  const files = ['src/a.spec.ts', 'src/a.contract.ts', 'src/testing/a.ts', 'test/a.ts'];
  const sources = repository({
    ...LIB,
    ...Object.fromEntries(files.map((file) => [`libs/one/${file}`, 'export function a() {}'])),
  });
  assert.deepEqual(findDocstrings(sources), []);
});

test('the check prints the limits, and fails with the place where one is broken', () => {
  const clean = { ...LIB, 'libs/one/src/a.ts': '/** Says why. */\nexport function a() {}' };
  assert.equal(check(clean).status, 0);
  const broken = check({
    ...clean,
    'libs/one/src/index.ts': "import './b.js';\nexport function b() {}",
    'libs/one/src/b.ts': "import './index.js';",
  });
  assert.equal(broken.status, 1);
  assert.match(broken.stdout, /1 circles[^]*1 that no other package imports[^]*libs\/one +1\/2 50 %/);
  assert.match(
    broken.stderr,
    /circle of imports: libs\/one\/src\/[^]*imports this: libs\/one\/src\/index.ts b[^]*No docstring: libs\/one\/src\/index.ts:2 b/,
  );
});

function repository(files) {
  return readSources(write(files));
}

function check(files) {
  const script = join(import.meta.dirname, 'limits.mjs');
  return spawnSync(process.execPath, [script, write(files)], { encoding: 'utf8' });
}

function write(files) {
  const root = mkdtempSync(join(tmpdir(), 'bullpen-limits-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

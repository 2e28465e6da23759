#!/usr/bin/env node
/**
 * Builds the repository, doing only what is needed: Prisma's client when the schema changed, then `tsc -b`, then the files
 * that are read at run time beside the compiled code. Says nothing when all went well.
 *
 *   node scripts/build.mjs              everything; returns at once when nothing changed since the last build
 *   node scripts/build.mjs libs/core    one or more projects and what they refer to
 *   node scripts/build.mjs --client     only the Prisma client, which type checks need
 *
 * `npm start`, `npm run demo` and `npm test` all begin with it, often at the same time, so a lock keeps builds apart.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOLUTION = 'tsconfig.build.json';
const CACHE = join(root, 'node_modules/.cache/bullpen');
const STAMP = join(CACHE, 'build-stamp');
const OUTPUTS = join(CACHE, 'build-outputs');
const LOCK = join(CACHE, 'build-lock');
const PRISMA_INPUTS = ['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json'];
const GENERATED = 'libs/store/src/generated';

const projects = JSON.parse(read(SOLUTION)).references.map((reference) => reference.path);
const requested = process.argv.slice(2);

if (requested.length > 0 || !isUpToDate()) {
  await takeLock();
  // Whoever held the lock may have done the work already.
  if (requested.includes('--client')) generatePrismaClient();
  else if (requested.length > 0 || !isUpToDate()) build();
}

function build() {
  // Taken first: a file that is saved while tsc runs must count as new in the next run.
  const inputs = inputDigest();
  generatePrismaClient();
  compile(requested.length > 0 ? requested : [SOLUTION]);
  for (const project of projects) {
    removeStaleOutputs(project);
    copyAssets(project);
  }
  writeFileSync(OUTPUTS, projects.flatMap((project) => files(join(project, 'dist'))).join('\n'));
  if (requested.length === 0) writeFileSync(STAMP, inputs + outputDigest());
}

/** The stamp covers outputs too: a deleted, restored or half-written `dist` must not pass for a finished build. */
function isUpToDate() {
  return existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputDigest() + outputDigest();
}

function inputDigest() {
  const hash = createHash('sha256');
  const ownFile = relative(root, import.meta.filename);
  for (const file of ['package-lock.json', 'tsconfig.base.json', SOLUTION, ownFile, ...PRISMA_INPUTS])
    addContent(hash, file);
  for (const project of projects) {
    const inputs = [
      join(project, 'package.json'),
      join(project, 'tsconfig.json'),
      ...files(join(project, 'src')),
    ];
    // The generated client stands for its inputs: it does not exist yet in a fresh checkout.
    for (const file of inputs) if (!isSpec(file) && !file.startsWith(GENERATED)) addContent(hash, file);
  }
  return hash.digest('hex');
}

/** Cheaper than the inputs' contents, and enough: nobody edits outputs. */
function outputDigest() {
  const hash = createHash('sha256');
  for (const file of [...projects.flatMap((project) => files(join(project, 'dist'))), ...files(GENERATED)]) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** The client is git-ignored and made by a CLI that needs seconds to start: run it only when what it reads has changed. */
function generatePrismaClient() {
  if (!PRISMA_INPUTS.every((file) => existsSync(join(root, file)))) return;
  const madeFrom = join(root, GENERATED, '.made-from');
  const hash = createHash('sha256');
  for (const file of PRISMA_INPUTS) addContent(hash, file);
  const current = hash.digest('hex');
  if (existsSync(madeFrom) && readFileSync(madeFrom, 'utf8') === current) return;

  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/prisma/build/index.js', 'generate'],
    {
      cwd: root,
      encoding: 'utf8',
      // Keeps the CLI from asking its makers for news; it would wait for them where there is no internet.
      env: { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    },
  );
  if (status !== 0) fail('prisma generate', `${stdout}${stderr}`);
  writeFileSync(madeFrom, current);
}

function compile(targets) {
  forgetDamagedOutputs();
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [compiler, '-b', ...targets], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) fail(`tsc -b ${targets.join(' ')}`);
}

/** tsc trusts its .tsbuildinfo and would not make again what somebody deleted. */
function forgetDamagedOutputs() {
  if (!existsSync(OUTPUTS)) return;
  for (const file of readFileSync(OUTPUTS, 'utf8').split('\n')) {
    if (existsSync(join(root, file))) continue;
    const [folder, name] = file.split('/');
    rmSync(join(root, folder, name, 'dist/tsconfig.tsbuildinfo'), { force: true });
  }
}

/** tsc never deletes: without this a renamed module would go on working from its old output. */
function removeStaleOutputs(project) {
  for (const file of files(join(project, 'dist'))) {
    if (file.endsWith('.tsbuildinfo')) continue;
    const source = join(project, 'src', relative(join(project, 'dist'), file));
    const stem = source.replace(/(\.d\.ts|\.js)(\.map)?$/, '');
    const candidates = stem === source ? [source] : [`${stem}.ts`, `${stem}.tsx`];
    if (!candidates.some((candidate) => existsSync(join(root, candidate)) && !isSpec(candidate)))
      rmSync(join(root, file));
  }
}

/** Files that the compiled code reads beside itself. */
function copyAssets(project) {
  const wanted = project.startsWith('apps/') ? /\.(json|html|css)$/ : /\.sql$/;
  for (const file of files(join(project, 'src'))) {
    if (!wanted.test(file)) continue;
    const to = join(root, output(project, file));
    if (existsSync(to) && readFileSync(to).equals(readFileSync(join(root, file)))) continue;
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(root, file), to);
  }
}

async function takeLock() {
  mkdirSync(CACHE, { recursive: true });
  for (;;) {
    try {
      const handle = openSync(LOCK, 'wx');
      writeFileSync(handle, String(process.pid));
      closeSync(handle);
      process.on('exit', () => rmSync(LOCK, { force: true }));
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (lockIsStale()) rmSync(LOCK, { force: true });
      else await sleep(100);
    }
  }
}

/** A builder that was killed leaves its lock. One that has no pid in it yet is being written right now, or was cut off then. */
function lockIsStale() {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    if (pid === 0) return Date.now() - statSync(LOCK).mtimeMs > 5_000;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function isSpec(file) {
  return /\.spec\.tsx?$/.test(file);
}

function output(project, file) {
  return join(project, 'dist', relative(join(project, 'src'), file));
}

/** All files under a folder, as paths from the root, in a stable order. */
function files(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function addContent(hash, file) {
  const path = join(root, file);
  hash.update(`${file}\0`);
  if (existsSync(path)) hash.update(readFileSync(path));
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function fail(step, details = '') {
  process.stderr.write(`${details}build: ${step} failed\n`);
  process.exit(1);
}

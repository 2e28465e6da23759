#!/usr/bin/env node
/**
 * Builds the repository, doing only what is needed: Prisma's client when the schema changed, each source file that changed as a module of
 * its own, the files that are read at run time beside the compiled code, and the dashboard as a bundle. Types are not checked here: `npm run typecheck` does
 * that for sources and specs alike, and is what takes the time. Says nothing when all went well.
 *
 *   node scripts/build.mjs              everything
 *   node scripts/build.mjs --client     only the Prisma client, which type checks need
 *
 * `npm start`, `npm run demo` and `npm test` all begin with it, often at the same time, so a lock keeps builds apart.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const CACHE = join(root, 'node_modules/.cache/bullpen');
const RECORD = join(CACHE, 'build.json');
const LOCK = join(CACHE, 'build-lock');
const PRISMA_INPUTS = ['prisma/schema.prisma', 'prisma.config.ts', 'node_modules/prisma/package.json'];
const GENERATED = 'libs/store/src/generated';
/** Made by Vite, as a target of Nx: what was made before from the same files comes out of its cache. */
const DASHBOARD = 'apps/dashboard';
const DASHBOARD_INPUTS = [DASHBOARD, 'libs/client', 'libs/contracts'];
const DASHBOARD_RECORD = join(CACHE, 'dashboard.json');
/** What decides about every output. */
const SETTINGS = [
  'tsconfig.base.json',
  'node_modules/typescript/package.json',
  relative(root, import.meta.filename),
];

let compiler = null;

/** The sources are compiled while the client is generated, and then the client. */
async function build(client) {
  const record = new Record();
  const problems = [];
  const dashboard = buildDashboard();
  for (const project of projects()) await buildFiles(project, isGenerated, record, problems);
  await client;
  await buildFiles('libs/store', (file) => !isGenerated(file), record, problems);
  record.removeStaleOutputs();
  record.write();
  if (problems.length > 0) fail('a source file could not be compiled', `${problems.join('\n')}\n`);
  await dashboard;
}

/** Nx needs a second to say that nothing changed, so it is only asked when something did. */
async function buildDashboard() {
  const inputs = DASHBOARD_INPUTS.flatMap(files).filter(
    (file) => !/\/(dist|node_modules)\/|\.spec\.ts$/.test(file),
  );
  const current = digest(
    [...inputs, 'package-lock.json'].flatMap((file) => [file, readFileSync(join(root, file))]),
  );
  const index = join(root, DASHBOARD, 'dist/index.html');
  if (existsSync(index) && existsSync(DASHBOARD_RECORD) && readFileSync(DASHBOARD_RECORD, 'utf8') === current)
    return;
  const { code, said } = await run(['node_modules/nx/dist/bin/nx.js', 'bundle', '@bullpen/dashboard'], {
    NX_DAEMON: 'false',
    NX_TUI: 'false',
  });
  if (code !== 0) fail('the dashboard could not be built', said);
  writeFileSync(DASHBOARD_RECORD, current);
}

/** Every file of a project's sources but specs and those that `leaveOut` names. */
async function buildFiles(project, leaveOut, record, problems) {
  for (const file of files(join(project, 'src'))) {
    const kind = kindOf(file);
    if (kind === null || leaveOut(file)) continue;
    const source = readFileSync(join(root, file));
    const out = join(project, 'dist', relative(join(project, 'src'), file));
    const module = out.replace(/\.tsx?$/, '.js');
    const outputs = kind === 'asset' ? [out] : [module, `${module}.map`];
    await record.make(file, source, outputs, async () => {
      if (kind === 'asset') return [source];
      const compile = await (compiler ??= loadCompiler());
      return compile(file, String(source), problems);
    });
  }
}

/** A function that gives the code and the source map of a module. TypeScript is loaded only if something has to be compiled. */
async function loadCompiler() {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  // Every file is an ES module; without this each of them would be asked for its package.json.
  const modules = { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
  const compilerOptions = { ...options, ...modules, sourceMap: true };
  return (file, source, problems) => {
    const { outputText, sourceMapText, diagnostics } = ts.transpileModule(source, {
      fileName: file,
      compilerOptions,
      reportDiagnostics: true,
    });
    const host = {
      getCurrentDirectory: () => root,
      getCanonicalFileName: (name) => name,
      getNewLine: () => '\n',
    };
    if (diagnostics.length === 0) return [outputText, sourceMapText];
    problems.push(ts.formatDiagnostics(diagnostics, host));
    return null;
  };
}

/** What was made from what, so that only the difference is made. Outputs count too: a deleted or half-written one is made again. */
class Record {
  constructor() {
    this.settings = digest(SETTINGS.map((file) => readFileSync(join(root, file))));
    const before = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : null;
    this.before = before?.settings === this.settings ? before.files : {};
    this.files = {};
  }

  isMade(file, source, outputs) {
    const known = this.before[file];
    if (known?.source !== digest([source]) || known.outputs !== stateOf(outputs)) return false;
    this.files[file] = { ...known, paths: outputs };
    return true;
  }

  async make(file, source, outputs, contents) {
    if (this.isMade(file, source, outputs)) return;
    const made = await contents();
    // A file that could not be compiled keeps no output: the old one would pass for it.
    outputs.forEach((output, at) =>
      made ? replace(output, made[at]) : rmSync(join(root, output), { force: true }),
    );
    this.files[file] = { source: made ? digest([source]) : '', outputs: stateOf(outputs), paths: outputs };
  }

  /** A renamed module must not go on working from its old output. */
  removeStaleOutputs() {
    const wanted = new Set(Object.values(this.files).flatMap(({ paths }) => paths));
    for (const project of projects())
      for (const file of files(join(project, 'dist'))) if (!wanted.has(file)) rmSync(join(root, file));
  }

  write() {
    const files = Object.entries(this.files).map(([file, { source, outputs }]) => [
      file,
      { source, outputs },
    ]);
    replace(
      relative(root, RECORD),
      JSON.stringify({ settings: this.settings, files: Object.fromEntries(files) }),
    );
  }
}

/** The client is git-ignored and made by a CLI that needs seconds to start: it runs only when what it reads has changed. */
async function generatePrismaClient() {
  const madeFrom = join(root, GENERATED, '.made-from');
  const current = digest(PRISMA_INPUTS.map((file) => readFileSync(join(root, file))));
  if (existsSync(madeFrom) && readFileSync(madeFrom, 'utf8') === current) return;
  // Keeps the CLI from asking its makers for news; it would wait for them where there is no internet.
  const env = { CHECKPOINT_DISABLE: '1', PRISMA_HIDE_UPDATE_MESSAGE: '1' };
  const { code, said } = await run(['node_modules/prisma/build/index.js', 'generate'], env);
  if (code !== 0) fail('prisma generate failed', said);
  writeFileSync(madeFrom, current);
}

/** Runs a program of a package to its end, and keeps what it says. */
async function run(args, env) {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, said };
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

function projects() {
  return ['libs', 'apps'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}`)
      .filter((path) => path !== DASHBOARD && existsSync(join(root, path, 'src'))),
  );
}

function isGenerated(file) {
  return file.startsWith(`${GENERATED}/`);
}

/** Assets are files that the compiled code reads beside itself. */
function kindOf(file) {
  if (/\.tsx?$/.test(file)) return /(\.spec|\.d)\.tsx?$/.test(file) ? null : 'module';
  return (file.startsWith('apps/') ? /\.(json|html|css)$/ : /\.(sql|md)$/).test(file) ? 'asset' : null;
}

/** Cheaper than their contents, and enough: nobody edits outputs. */
function stateOf(outputs) {
  const states = outputs.map((output) => statSync(join(root, output), { throwIfNoEntry: false }));
  return states.map((stats) => (stats ? `${stats.size} ${stats.mtimeMs}` : 'none')).join(', ');
}

/** A program that starts meanwhile reads the old file or the new one. */
function replace(file, content) {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
}

/** All files under a folder, as paths from the root, in a stable order. */
function files(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function digest(contents) {
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content).update('\0');
  return hash.digest('hex');
}

function fail(what, details = '') {
  process.stderr.write(`${details}build: ${what}\n`);
  process.exit(1);
}

await takeLock();
const client = generatePrismaClient();
if (process.argv.includes('--client')) await client;
else await build(client);

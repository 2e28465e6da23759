/**
 * The main job from one command, as a newcomer runs it: real processes, real files, numbers that are counted a second time. Slow, because each
 * demo starts and stops a whole installation of its own, five processes that load their modules.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  assertNoProcessLeft,
  queueBackends,
  startProcess,
  testDatabase,
  waitFor,
  type TestDatabase,
  type TestProcess,
} from '@bullpen/testing';
import { surveyIndependently } from './independent-survey.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const BIN = join(ROOT, 'apps/cli/bin/bullpen.js');

/** Of one worker. */
const SLOTS = 4;

interface DemoDocument {
  outcome: string;
  tasks: number;
  report: string;
  queueBackend: string;
  simulated: boolean;
  usage: { costUsd: string; modelCalls: number };
  lost: { workers: number; tasks: number };
  output: {
    totals: { files: number; lines: number; bytes: number };
    todos: { file: string; line: number; kind: string }[];
    largest: { bytes: number }[];
    incomplete: string[];
  };
}

describe('the demo', () => {
  let temp: string;
  let odd: string;
  let databases: TestDatabase[] = [];

  beforeAll(async () => {
    temp = await mkdtemp(join(tmpdir(), 'bullpen-demo-'));
    await chmod(temp, 0o755); // Postgres runs as another user when the tests are root.
    odd = join(temp, 'odd names');
    makeOddFolder(odd);
  });
  afterEach(async () => {
    for (const database of databases) await database.drop();
    databases = [];
  });
  afterAll(async () => {
    await assertNoProcessLeft();
    await rm(temp, { recursive: true, force: true });
  });

  function bullpen(home: string, args: string[], env: Record<string, string> = {}): TestProcess {
    const quick = {
      PORT: '0',
      SIM_SPEED: '500',
      LEASE_MS: '3000',
      RENEW_MS: '1000',
      NO_COLOR: '1',
      DATABASE_URL: '',
      REDIS_URL: '',
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_BASE_URL: '',
    };
    return startProcess(BIN, {
      name: `bullpen ${args.join(' ')}`,
      args,
      cwd: temp,
      env: { ...quick, BULLPEN_HOME: join(temp, home), ...env },
    });
  }

  /** Making a Postgres takes seconds. The first demos make their own, as a newcomer's does; here it is not what is tested. */
  async function readyDatabase(): Promise<Record<string, string>> {
    const database = await testDatabase();
    databases.push(database);
    return { DATABASE_URL: database.url };
  }

  async function documentOf(run: TestProcess): Promise<DemoDocument> {
    const { code } = await run.ended;
    if (code !== 0) throw new Error(`exit code ${code}:\n${run.output.slice(-4_000)}`);
    return JSON.parse(run.stdout) as DemoDocument;
  }

  function expectSameNumbers(document: DemoDocument, folder: string): void {
    const counted = surveyIndependently(folder);
    const { totals, todos, largest, incomplete } = document.output;
    expect(totals).toEqual({ files: counted.files, lines: counted.lines, bytes: counted.bytes });
    expect(todos.map(({ file, line, kind }) => `${file}:${line}:${kind}`).sort()).toEqual(counted.todos);
    expect(largest[0]?.bytes).toBe(counted.largest);
    expect(incomplete).toEqual([]);
    const report = readFileSync(document.report, 'utf8');
    for (const number of [counted.files, counted.lines, counted.bytes])
      expect(report).toContain(number.toLocaleString('en-US'));
  }

  async function expectInvariants(home: string, env: Record<string, string> = {}): Promise<void> {
    const doctor = bullpen(home, ['doctor', '--invariants', '--json'], env);
    const { code } = await doctor.ended;
    expect([code, doctor.output.slice(code === 0 ? 0 : -3_000).length > 0]).toEqual([0, true]);
    const { invariants } = JSON.parse(doctor.stdout) as { invariants: { id: string; holds: boolean }[] };
    expect(invariants.map(({ id }) => id)).toEqual([
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I9',
      'I10',
      'I11',
    ]);
    expect(invariants.filter(({ holds }) => !holds)).toEqual([]);
  }

  for (const backend of queueBackends()) {
    backend.describe('over a folder with odd names', () => {
      it('reports numbers that an independent count confirms, and leaves every invariant intact', async () => {
        const redis = await backend.start();
        try {
          const home = `odd-${backend.name}`;
          const document = await documentOf(
            bullpen(home, ['demo', odd, '--json'], redis ? { REDIS_URL: redis.url } : {}),
          );
          expect(document).toMatchObject({
            outcome: 'completed',
            queueBackend: backend.name,
            simulated: true,
          });
          expect(document.tasks).toBeGreaterThanOrEqual(4);
          expectSameNumbers(document, odd);
          await expectInvariants(home);
        } finally {
          await redis?.stop();
        }
      });
    });
  }

  it('covers every file of more folders than a task may have subtasks, with several to a reader', async () => {
    const folder = join(temp, 'folders');
    makeManyFolders(folder, 300);
    const document = await documentOf(bullpen('many', ['demo', folder, '--json'], await readyDatabase()));
    expect(document.outcome).toBe('completed');
    expect(document.tasks).toBeLessThanOrEqual(51);
    expectSameNumbers(document, folder);
  }, 180_000);

  it('surveys this repository, and ends with the right report although a worker is lost with its disk in its middle, and the one that wrote the report as well', async () => {
    // Slow enough that there is a middle.
    const database = await readyDatabase();
    const run = bullpen('killed', ['demo', ROOT, '--lose-worker', '--json'], {
      ...database,
      SIM_SPEED: '8',
      WORKER_SLOTS: String(SLOTS),
    });
    const upFile = join(temp, 'killed', 'up.json');
    // More than one worker has slots for: the victim is at work, too.
    const begun = () => run.stderr.split('\n').filter((line) => / running$/.test(line)).length;
    await waitFor(() => begun() > SLOTS + 1 || run.child.exitCode !== null, {
      what: 'the subtasks to run',
      timeoutMs: 90_000,
    });
    const { workers } = JSON.parse(readFileSync(upFile, 'utf8')) as { workers: { pid: number }[] };
    const victim = workers[0]?.pid ?? 0;
    process.kill(victim, 'SIGKILL');
    // Before another process begins there.
    renameSync(join(temp, 'killed', 'worker-1'), join(temp, 'lost disk'));
    const document = await documentOf(run);
    expect(document.outcome).toBe('completed');
    expectSameNumbers(document, ROOT);
    expect(run.stderr).toMatch(/worker-[12] was killed, and its folder with the report was deleted/);
    // The first one may have been waiting for the files that the other one had.
    expect([1, 2]).toContain(document.lost.workers);
    expect(run.stderr).toContain('worker lost; the task goes on with another one');
    expect(run.stderr).toMatch(/the files were made anew, as they were after turn \d/);
    // One that had no files yet has nothing to resume.
    const resumed = run.stderr.match(/resumed on another worker/g) ?? [];
    expect(resumed.length).toBeGreaterThan(0);
    expect(resumed.length).toBeLessThanOrEqual(document.lost.tasks);
    await expectInvariants('killed', database);
    expect(existsSync(upFile)).toBe(false);
  }, 180_000);
});

function makeManyFolders(folder: string, count: number): void {
  for (let n = 0; n < count; n += 1) {
    mkdirSync(join(folder, `folder ${n}`), { recursive: true });
    if (n % 10 === 0) continue; // Empty.
    const first = n % 10 < 3 ? '// TODO' : '// done';
    writeFileSync(join(folder, `folder ${n}`, 'a.ts'), `${first} ${n}\n${'x\n'.repeat(n % 7)}`);
  }
  writeFileSync(join(folder, 'top.txt'), 'FIXME top\n');
}

/** Spaces, Korean, emoji, a dangling link, a link out, a binary file, an empty file, a line of 5 MB, a deep path, ignored files. */
function makeOddFolder(folder: string): void {
  const write = (path: string, content: string | Buffer) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  write('read me first.txt', 'one\ntwo TODO: three');
  write('with space/a b.ts', '// TODO one\nconst x = 1; // FIXME two TODO\n');
  write('한국어/파일 이름.py', '# TODO 번역하기\nprint("안녕")\n');
  write('emoji 🎉/🚀.md', 'FIXME 🙂 later\n\n');
  write('emoji 🎉/windows.txt', 'a\r\nTODO b\r\n');
  write('data/binary.bin', Buffer.from([0, 1, 2, 84, 79, 68, 79, 10, 0]));
  write('data/empty.txt', '');
  write('data/5mb.txt', `${'x'.repeat(2_500_000)} TODO ${'y'.repeat(2_500_000)}`);
  write('data/not-todo.txt', 'TODOS and XTODO and fixme\n');
  write('deep/a/b/c/d/e/f.json', '{"TODO": 1}\n');
  write('.hidden/secret.txt', 'TODO hidden\n');
  write(`names/quote'and "double".txt`, 'x\n');
  write('names/back\\slash.txt', 'TODO\n');
  write('names/colon:name.txt', 'TODO\n');
  write('names/-dash.txt', 'x');
  symlinkSync('nowhere', join(folder, 'data/dangling'));
  symlinkSync('/etc/passwd', join(folder, 'data/outside'));
  symlinkSync('../with space', join(folder, 'data/link to folder'));
}

/** Whatever becomes of a test run, what its specs started ends with it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const HANGS = 'libs/testing/test/hangs.fixture.ts';
/** Two files: one alone is never given to a worker. */
const BOTH = 'libs/testing/test/*.fixture.ts';

interface Report {
  readonly self: number;
  readonly child: number;
  readonly redis: string | null;
}

let folder: string;
let run: ChildProcess;
let report: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bullpen-killed-run-'));
  report = join(folder, 'report.json');
});
afterEach(() => {
  run.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Starts Jest on the spec that never ends; gives what that has started. */
async function start(how: readonly string[], env: Record<string, string> = {}): Promise<Report> {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const args = [jest, ...how, '--testMatch', `**/${how.includes('--runInBand') ? HANGS : BOTH}`];
  run = spawn(process.execPath, ['--experimental-vm-modules', '--no-warnings', ...args], {
    cwd: ROOT,
    env: { ...process.env, NODE_OPTIONS: '', HANGS_REPORT: report, TMPDIR: folder, ...env },
    stdio: 'ignore',
  });
  await waitFor(() => existsSync(report) && readFileSync(report, 'utf8').endsWith('}'), {
    what: 'the spec to have started everything',
  });
  return JSON.parse(readFileSync(report, 'utf8')) as Report;
}

async function expectNothingLeft({ child, redis }: Report): Promise<void> {
  await waitFor(() => !lives(child), { what: 'the process to end' });
  await waitFor(async () => redis === null || !(await listens(redis)), {
    what: 'Redis to end',
  });
}

describe('what specs start', () => {
  it('ends when the process that runs them is killed', async () => {
    const started = await start(['--runInBand']);
    expect([started.self, lives(started.child)]).toEqual([run.pid, true]);
    run.kill('SIGKILL');
    await expectNothingLeft(started);
  });

  it('ends when a worker of the run is killed', async () => {
    const started = await start(['--maxWorkers=2']);
    expect(started.self).not.toBe(run.pid);
    process.kill(started.self, 'SIGKILL');
    await expectNothingLeft(started);
  });

  it('ends, with the worker, when the run is killed above it', async () => {
    const started = await start(['--maxWorkers=2']);
    expect(started.self).not.toBe(run.pid);
    run.kill('SIGKILL');
    await waitFor(() => !lives(started.self), { what: 'the worker to end' });
    await expectNothingLeft(started);
  });

  it('ends with the run when a spec fails before its first test', async () => {
    const started = await start(['--runInBand'], { HANGS_FAILS: 'yes' });
    await waitFor(() => run.exitCode !== null, { what: 'the run to end' });
    await expectNothingLeft(started);
  });
});

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function listens(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** The worker's stand-in, as root or as an ordinary user, watched from outside. */
import { fork, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CommandUser } from '@bullpen/workspace';
import type { Attack } from './attack.js';
import type { RunnerSummary } from './report.js';
import type { Outcome } from './run-attacks.js';
import type { Orders, Report } from './runner-process.js';

export interface RunnerOptions {
  /** Null: as whoever we are. */
  readonly user: CommandUser | null;
  readonly unboxed: boolean;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** An attack that says nothing for so long has hung the worker. */
const HUNG_MS = 120_000;
const ENTRY = fileURLToPath(new URL('../../dist/escape/runner-process.js', import.meta.url));

/** Runs the attacks, also past one that hangs or ends the process. */
export async function runAll(attacks: readonly Attack[], options: RunnerOptions): Promise<RunnerSummary> {
  let left = attacks;
  let summary: RunnerSummary = { level: 'none', startCostMs: null };
  while (left.length > 0) {
    const ended = await runSome(left, options);
    summary = ended.summary ?? summary;
    const { stoppedAt } = ended;
    if (stoppedAt === null) return summary;
    const at = left.findIndex(({ name }) => name === stoppedAt);
    const attack = left[at];
    if (attack === undefined) throw new Error(`The runner ended before the first attack:\n${ended.how}`);
    const { name, what, kind } = attack;
    options.onOutcome({ name, what, kind, found: [{ harm: 'broken', what: ended.how }], seconds: 0 });
    left = left.slice(at + 1);
  }
  return summary;
}

interface Ended {
  /** Null when it did not get so far. */
  readonly summary: RunnerSummary | null;
  /** The attack that it did not survive; empty for none, null when all are done. */
  readonly stoppedAt: string | null;
  readonly how: string;
}

async function runSome(attacks: readonly Attack[], options: RunnerOptions): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'bullpen-escape-'));
  chmodSync(folder, 0o711);
  const tmp = join(folder, 'tmp');
  mkdirSync(tmp);
  if (options.user !== null)
    for (const path of [folder, tmp]) chownSync(path, options.user.uid, options.user.gid);
  const environment = secretEnvironment();
  const child = start({ ...environment, TMPDIR: tmp, HOME: join(folder, 'person') }, options.user);
  try {
    const names = attacks.map(({ name }) => name);
    child.send({ folder, unboxed: options.unboxed, names, environment } satisfies Orders);
    return await watch(child, options.onOutcome);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

function start(env: Readonly<Record<string, string>>, user: CommandUser | null): ChildProcess {
  const child = fork(ENTRY, [], {
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    ...(user ?? {}),
  });
  return child;
}

/** Under the names that an installation has them. */
function secretEnvironment(): Readonly<Record<string, string>> {
  const value = () => randomBytes(12).toString('hex');
  return {
    ANTHROPIC_API_KEY: `sk-ant-${value()}`,
    DATABASE_URL: `postgresql://bullpen:${value()}@127.0.0.1:5432/bullpen`,
    REDIS_URL: `redis://:${value()}@127.0.0.1:6379`,
    BULLPEN_API_KEY: `bp_${value()}`,
  };
}

function watch(child: ChildProcess, onOutcome: (outcome: Outcome) => void): Promise<Ended> {
  let summary: RunnerSummary | null = null;
  let current = '';
  let hung = false;
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-4_000)));
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      hung = true;
      child.kill('SIGKILL');
    }, HUNG_MS);
    child.on('message', (report: Report) => {
      timer.refresh();
      if (report.type === 'began') summary = report;
      if (report.type === 'attack') current = report.name;
      if (report.type === 'outcome') onOutcome(report.outcome);
    });
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      const how = hung
        ? `it hung the worker for ${HUNG_MS / 1_000} s`
        : `the worker ended (${code ?? signal}): ${errors}`;
      resolve({ summary, stoppedAt: code === 0 ? null : current, how });
    });
  });
}

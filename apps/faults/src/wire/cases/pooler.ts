/** The way to the database through a pooler: one that shares sessions is refused at the start, and told what to set. */
import {
  pgBouncerAvailable,
  startProcess,
  testPgBouncer,
  waitFor,
  type PgBouncerOptions,
  type TestProcess,
} from '@bullpen/testing/harness';
import type { Probe, Skipped } from '../wire-case.js';
import type { WireStack } from '../wire-stack.js';

type PoolMode = PgBouncerOptions['poolMode'];

const START_MS = 60_000;

async function through(stack: WireStack, poolMode: PoolMode): Promise<readonly string[] | Skipped> {
  if (!pgBouncerAvailable()) return { skipped: 'there is no pgbouncer' };
  const pooler = await testPgBouncer(stack.database.url, { poolMode });
  try {
    const found = await Promise.all(
      (['gateway', 'worker'] as const).map(async (part) => {
        const env = { ...stack.env, DATABASE_URL: pooler.url, PORT: '0' };
        const one = startProcess(stack.entryOf(part), { env, ipc: true });
        const started = await becomesReady(one).finally(() => one.kill());
        return problemsOf(poolMode, started, one).map((what) => `${part}: ${what}`);
      }),
    );
    return found.flat();
  } finally {
    await pooler.stop();
  }
}

/** True when it says so, false when it ends instead. */
async function becomesReady(one: TestProcess): Promise<boolean> {
  let state: 'ready' | 'ended' | null = null;
  one.child.on('message', ({ type }: { type: string }) => {
    if (type === 'ready' || type === 'listening') state ??= 'ready';
  });
  void one.ended.then(() => (state ??= 'ended'));
  return (await waitFor(() => state, { what: 'a start or an end', timeoutMs: START_MS })) === 'ready';
}

function problemsOf(poolMode: PoolMode, started: boolean, { output }: TestProcess): string[] {
  const shouldStart = poolMode === 'session';
  if (started !== shouldStart)
    return [`${started ? 'it started' : 'it did not start'}: ${output.slice(-500)}`];
  return shouldStart || /DATABASE_URL[\s\S]*pool_mode=session/.test(output)
    ? []
    : [`it says ${output.slice(-500)}`];
}

export const pooler: readonly Probe[] = (['transaction', 'statement', 'session'] as const).map(
  (poolMode) => ({
    name: `pgbouncer-${poolMode}`,
    what: `DATABASE_URL through PgBouncer with pool_mode=${poolMode}`,
    probe: (stack) => through(stack, poolMode),
  }),
);

import { ApiError } from '@bullpen/client';
import type { CreateTaskInput } from '@bullpen/contracts';
import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Plan } from '../stack/plan.js';
import type { Stack } from '../stack/stack.js';
import type { Accepted } from '../stack/submitter.js';

/** How many roots there are of each kind; 1,000 tasks with the subtasks. */
const COUNTS = { done: 150, tree: 40, failing: 60, later: 100, paused: 100, plain: 390 };
const LEAVES = 4;
/** What `later` and `failing` wait for outlasts the first flushes. */
const LATER_MS = 20_000;
const BACKOFF_MS = 35_000;
/** How long it goes on when all are submitted. */
const AFTER_MS = 6_000;
const STATES = [
  'queued',
  'running',
  'waiting for children',
  'waiting for backoff',
  'paused',
  'delayed',
  'completed',
];
/** Time that the model takes where somebody waits for it; a sixteenth of it in real time. */
const THINK_MS = 48_000;

export const flushAll = defineDrill({
  id: 'X4e',
  title: 'the queue loses everything, again and again, with 1,000 tasks in all states',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 150,
  stack: { speed: 16 },
  // Nobody is killed, but on a busy machine a lease of three seconds may run out.
  expect: { settleMs: 180_000, uncertain: 12 },
  act: async (stack, context) => {
    await submit(stack, plans('done', COUNTS.done));
    const missing = new Set(STATES);
    const lose = async (): Promise<void> => {
      for (const state of await statesOf(stack)) missing.delete(state);
      await loseQueue(stack);
    };
    // Lost while tasks are submitted, and for a while after that.
    const work = submitRest(stack).then(async (paused) => {
      await stack.pause(AFTER_MS);
      return paused;
    });
    await storm(stack, context, 120, [1_000, 3_000], lose, work);
    for (const { id } of await work) await stack.submitter.client.tasks.resume(id).catch(ignoreEnded);
    await lose();
    return missing.size === 0 ? [] : [`no task was ever ${[...missing].join(', ')} when the queue was lost`];
  },
});

/** Gives the tasks that are paused. */
async function submitRest(stack: Stack): Promise<readonly Accepted[]> {
  const runAt = new Date(Date.now() + LATER_MS).toISOString();
  await submit(stack, plans('later', COUNTS.later), { runAt });
  const retry = { taskAttempts: 3, modelAttempts: 1, baseMs: BACKOFF_MS };
  const faults = { 0: { kind: 'server_error' as const } };
  await submit(stack, plans('failing', COUNTS.failing, { faults }), { retry });
  await submit(stack, trees());
  const paused = await submit(stack, plans('paused', COUNTS.paused, { thinkMs: THINK_MS }));
  for (const { id } of paused) await stack.submitter.client.tasks.pause(id).catch(ignoreEnded);
  await submit(stack, plans('plain', COUNTS.plain));
  return paused;
}

function plans(prefix: string, count: number, more: Partial<Plan> = {}): readonly Plan[] {
  return Array.from({ length: count }, (_, at) => ({ key: `${prefix}${at}`, steps: [], ...more }));
}

/** An effect before and after subtasks that take their time. */
function trees(): readonly Plan[] {
  return plans('tree', COUNTS.tree).map(({ key }) => {
    const leaves = plans(`${key}.`, LEAVES, { thinkMs: THINK_MS });
    return { key, steps: [{ do: 'effect' }, { do: 'subtasks', plans: leaves }, { do: 'effect' }] };
  });
}

async function submit(stack: Stack, all: readonly Plan[], more: CreateTaskInput = {}) {
  const lanes = 8;
  const accepted = await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const own = [];
      for (const plan of all.filter((_plan, at) => at % lanes === lane))
        own.push(await stack.submitter.submit(plan, more));
      return own;
    }),
  );
  return accepted.flat();
}

/** What tasks do at this moment. */
async function statesOf({ database, log }: Stack): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ state: string; count: number }>(
    `SELECT CASE WHEN run_at > now() AND state = 'queued' THEN 'delayed' WHEN state = 'waiting' THEN 'waiting for ' || wait_reason
       ELSE state::text END AS state, count(*)::int AS count FROM tasks GROUP BY 1`,
  );
  log(rows.map(({ state, count }) => `${count} ${state}`).join(', '));
  return rows.map(({ state }) => state);
}

/** FLUSHALL, or on Postgres the same for BullMQ's own tables. */
async function loseQueue({ redis, database }: Stack): Promise<void> {
  if (redis !== null) return redis.flush();
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT format('bullmq.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq' AND tablename LIKE '%job%'`,
  );
  await database.pool.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} CASCADE`);
}

/** A task that has ended can neither be paused nor resumed. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 'task_finished') throw error;
}

/** What a worker holds for a task that streams, and for tasks that wait: memory, and the delay of its event loop. */
import { newId } from '@bullpen/platform';
import type { Scenario } from '@bullpen/model-sim';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../lab/database.js';
import { submitter } from '../lab/http-load.js';
import type { Lab } from '../lab/lab.js';
import type { NodeProcess } from '../lab/node-process.js';
import type { ProbeAnswer } from '../lab/probe-process.js';
import { sideBySide } from '../lab/side-by-side.js';
import { startStack, type Stack } from '../lab/stack.js';
import { until } from '../lab/until.js';
import { measure, type Backend, type Measure } from '../report/measure.js';

const figure = 'memory';
const MIB = 2 ** 20;
const LIMIT_MS = 240_000;
/** The simulator paces at 80 to 150 tokens a second; slowed down to about 50. */
const SPEED = 0.45;
const WAITING = 10_000;

/** An answer that streams for longer than the figure takes. */
const endless: Scenario = {
  name: 'memory',
  agents: {},
  default: () => ({ text: 'All of this is streamed word by word, and nobody reads it. '.repeat(400) }),
};

/** Memory per task, from the difference between few and many, and how late the event loop is meanwhile. */
export async function measureMemory(lab: Lab): Promise<Measure[]> {
  const [few, many] = lab.quick ? [20, 60] : [100, 300];
  const all: Measure[] = [];
  for (const backend of lab.backends) {
    lab.say(`memory on ${backend}: ${few} and ${many} streaming tasks, ${WAITING} waiting`);
    all.push(...(await onBackend(lab, backend, few, many)));
  }
  return all;
}

async function onBackend(lab: Lab, backend: Backend, few: number, many: number): Promise<Measure[]> {
  const stack = await startStack(lab, {
    backend,
    workers: 1,
    scenario: endless,
    speed: SPEED,
    settings: { WORKER_SLOTS: String(many) },
  });
  try {
    const [worker] = stack.workers;
    if (worker === undefined) throw new Error('There is no worker');
    await sleep(1_000);
    const idle = await probe(worker);
    await insertWaiting(stack.database, WAITING);
    await sleep(2_500); // The reconciler has looked at them twice by then.
    const waiting = await probe(worker);
    await stream(stack, few);
    const first = await probe(worker);
    await stream(stack, many - few);
    await probe(worker); // Starts the count of delays anew.
    await sleep(2_000);
    const second = await probe(worker);
    const running = await runningTasks(stack.database);
    if (running < many) throw new Error(`Only ${running} of ${many} tasks still ran`);
    const perTask = (of: 'rss' | 'heapUsed') => (second[of] - first[of]) / (many - few) / MIB;
    const one = (rest: Omit<Parameters<typeof measure>[0], 'figure' | 'backend'>) =>
      measure({ figure, backend, ...rest });
    return [
      one({
        what: `RSS a running task, ${few} -> ${many} streaming`,
        value: perTask('rss'),
        unit: 'MiB',
        goal: { of: 'value', atMost: 1 },
        note: `idle worker ${Math.round(idle.rss / MIB)} MiB RSS; with ${many} streams ${Math.round(second.rss / MIB)} MiB; about 50 tokens a second each.`,
      }),
      one({ what: 'heap a running task', value: perTask('heapUsed'), unit: 'MiB' }),
      one({
        what: `heap of a worker for ${WAITING} waiting tasks`,
        value: Math.max(0, waiting.heapUsed - idle.heapUsed) / MIB,
        unit: 'MiB',
        goal: { of: 'value', atMost: 1 },
        note: 'nothing is held for a task that waits; what remains is the noise of two collections.',
      }),
      one({
        what: `event loop delay p99, ${many} streaming`,
        value: second.delayP99Ms,
        unit: 'ms',
        goal: { of: 'value', atMost: 50 },
      }),
    ];
  } finally {
    await stack.stop();
  }
}

function probe(worker: NodeProcess): Promise<ProbeAnswer> {
  return worker.ask<ProbeAnswer>({ type: 'probe' });
}

/** Submits so many tasks and waits until all of them run. */
async function stream({ url, key, database }: Stack, count: number): Promise<void> {
  const before = await runningTasks(database);
  const client = submitter(url, key, 8);
  await sideBySide(8, count, () => client.submit({ agent: 'general', prompt: 'Talk.' }));
  client.close();
  await until(`${count} more running tasks`, LIMIT_MS, async () =>
    (await runningTasks(database)) >= before + count ? true : null,
  );
}

async function runningTasks(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ running: number }>(
    `SELECT count(*)::int AS running FROM tasks WHERE state = 'running'`,
  );
  return rows[0]?.running ?? 0;
}

/** Tasks that wait for something that does not come within the figure. */
async function insertWaiting(database: Database, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => newId('task'));
  await database.pool.query(
    `WITH born AS (
       INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, workspace, tags, state, wait_reason, wait_id)
       SELECT id, 'default', id, 'Waits', 'general', 'none', '{}', '', '{"kind":"empty"}', '{}', 'waiting', 'children', 'wait_' || id
       FROM unnest($1::text[]) AS id RETURNING id, wait_id)
     INSERT INTO waits (id, task_id, reason, mode, open_edges, due_at)
     SELECT wait_id, id, 'children', 'all', 1, now() + interval '1 day' FROM born`,
    [ids],
  );
}

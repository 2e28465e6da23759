/** Many tasks that wait for people: what a worker holds for them, and how soon one goes on when its answer comes. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { Arrivals } from '../lab/arrivals.js';
import type { Database } from '../lab/database.js';
import { submitter, type Submitter } from '../lab/http-load.js';
import type { Lab } from '../lab/lab.js';
import type { NodeProcess } from '../lab/node-process.js';
import type { ProbeAnswer } from '../lab/probe-process.js';
import { sideBySide } from '../lab/side-by-side.js';
import { startStack } from '../lab/stack.js';
import { until } from '../lab/until.js';
import { withRivals, type Rivals } from '../peers/rivals.js';
import { measure, type Backend, type Measure, type Measured } from '../report/measure.js';
import { median, percentile } from '../report/statistics.js';

const figure = 'waiting';
const MIB = 2 ** 20;
/** Workflows of the peer that wait meanwhile: each takes memory of its process. */
const PEER_WAITING = 1_000;
const AT_ONCE = 10_000;
const LIMIT_MS = 60_000;

/** Memory of a worker for tasks that wait, and the ms from an answer to the model's next request. */
export async function measureWaiting(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends)
    all.push(...(await withRivals(lab, ['dbos'], (rivals) => onBackend(lab, backend, rivals))));
  return all;
}

async function onBackend(lab: Lab, backend: Backend, rivals: Rivals): Promise<Measure[]> {
  const [waiting, wakes] = lab.quick ? [10_000, 20] : [100_000, 150];
  lab.say(`waiting on ${backend}: ${waiting} tasks wait for approval, ${wakes} are answered`);
  const goesOn = new Arrivals();
  const stack = await startStack(lab, { backend, workers: 1, scenario: asking(goesOn.arrived) });
  const client = submitter(stack.url, stack.key, 8);
  try {
    const [worker] = stack.workers;
    if (worker === undefined) throw new Error('There is no worker');
    await sleep(1_000);
    const before = await probe(worker);
    await insertWaiting(stack.database, waiting);
    await sleep(3_000); // The reconciler has looked at them by then.
    const after = await probe(worker);
    const asked = await questions(stack.database, client, wakes);
    const samples = await goesOn.after(() => deny(client, asked.pop() ?? ''), wakes);
    await rivals.sample('waitingKib', PEER_WAITING);
    await rivals.sample('wakes', wakes);
    return lines(backend, waiting, Math.max(0, after.heapUsed - before.heapUsed), samples, rivals);
  } finally {
    client.close();
    await stack.stop();
  }
}

/** Wants to write a file, which its user is asked about, and ends when it hears what came of it. */
function asking(onAnswered: () => void): Scenario {
  return {
    name: figure,
    agents: {},
    default: ({ allToolResults: [result] }) => {
      if (result === undefined)
        return { toolCalls: [{ name: 'write_file', input: { path: 'out.txt', content: 'x' } }] };
      onAnswered();
      return { text: 'Done.' };
    },
  };
}

/** Submits so many tasks that ask, and gives the ids of what they ask when all of them wait. */
async function questions(database: Database, client: Submitter, count: number): Promise<string[]> {
  await sideBySide(8, count, () =>
    client.submit({ agent: 'general', prompt: 'Write it.', autonomy: 'agent' }),
  );
  return until(`${count} questions`, LIMIT_MS, async () => {
    const { rows } = await database.pool.query<{ id: string }>(
      `SELECT i.id FROM interactions i JOIN tasks t ON t.id = i.task_id
       WHERE i.answered_at IS NULL AND t.state = 'waiting' AND t.prompt <> ''`,
    );
    return rows.length === count ? rows.map(({ id }) => id) : null;
  });
}

async function deny(client: Submitter, id: string): Promise<void> {
  await client.post(`/v1/interactions/${id}/answer`, { answer: { decision: 'deny' } });
}

function lines(
  backend: Backend,
  waiting: number,
  heapBytes: number,
  samples: readonly number[],
  rivals: Rivals,
): Measure[] {
  const wake = (what: string, share: number): Measured => ({
    figure,
    backend,
    what: `answer to the model's next request, ${what}`,
    value: percentile(samples, share),
    unit: 'ms',
  });
  return [
    measure({
      figure,
      backend,
      what: `heap of a worker for ${waiting} tasks that wait for approval`,
      value: heapBytes / MIB,
      unit: 'MiB',
      goal: { of: 'value', atMost: 1 },
      note: 'nothing is held for a task that waits; what remains is the noise of two collections.',
    }),
    ...rivals.beside('waitingKib', median, {
      figure,
      backend,
      what: 'heap for each of them',
      value: heapBytes / 1_024 / waiting,
      unit: 'KiB',
    }),
    measure({
      ...wake('p99', 0.99),
      goal: { of: 'value', atMost: 100 },
      note: 'one answer at a time, over HTTP; the task is announced, claimed and loaded again, and its model asked.',
    }),
    ...rivals.beside('wakes', median, wake('p50', 0.5)),
  ];
}

function probe(worker: NodeProcess): Promise<ProbeAnswer> {
  return worker.ask<ProbeAnswer>({ type: 'probe' });
}

/** Tasks whose answer does not come within the figure. */
async function insertWaiting({ pool }: Database, count: number): Promise<void> {
  for (let stored = 0; stored < count; stored += AT_ONCE) {
    const ids = Array.from({ length: Math.min(AT_ONCE, count - stored) }, () => newId('task'));
    await pool.query(
      `WITH born AS (
         INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, workspace, tags, state, wait_reason, wait_id)
         SELECT id, 'default', id, 'Waits', 'general', 'none', '{}', '', '{"kind":"empty"}', '{}', 'waiting', 'approval', 'wait_' || id
         FROM unnest($1::text[]) AS id RETURNING id, wait_id),
       asked AS (
         INSERT INTO interactions (id, task_id, root_id, tenant_id, kind, payload)
         SELECT 'ask_' || id, id, id, 'default', 'approval', '{}' FROM born RETURNING id, task_id)
       INSERT INTO waits (id, task_id, reason, mode, open_edges, interaction_ids)
       SELECT wait_id, born.id, 'approval', 'any', 0, ARRAY[asked.id] FROM born JOIN asked ON asked.task_id = born.id`,
      [ids],
    );
  }
  // As autovacuum leaves what has waited for more than a minute; else it would do so while the answers are timed.
  await pool.query('VACUUM (ANALYZE) tasks, interactions, waits');
}

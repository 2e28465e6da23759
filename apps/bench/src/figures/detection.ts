/** From kill -9 of a worker to its task claimed by another one. */
import type { Scenario } from '@bullpen/model-sim';
import type { Database } from '../lab/database.js';
import { submitter } from '../lab/http-load.js';
import type { Lab } from '../lab/lab.js';
import { startStack } from '../lab/stack.js';
import { until } from '../lab/until.js';
import { measure, type Backend, type Measure } from '../report/measure.js';
import { median } from '../report/statistics.js';

const figure = 'detection';
/** The default settings, and a lease scaled down for a quick run. */
const DEFAULT = { leaseMs: 15_000, renewMs: 5_000 };
const SCALED = { leaseMs: 2_000, renewMs: 500 };
const GRACE_MS = 2_000;

/** Takes long over its first answer, so that the worker dies in the middle of a model call. */
const slowAgent: Scenario = {
  name: 'detection',
  agents: {},
  default: () => ({ text: 'Done.', delayMs: 3_600_000 }),
};

/** Kills a worker in the middle of a task, again and again, and takes the time in ms until another one has claimed it. */
export async function measureDetection(lab: Lab): Promise<Measure[]> {
  const lease = lab.quick ? SCALED : DEFAULT;
  const all: Measure[] = [];
  for (const backend of lab.backends) {
    lab.say(`detection on ${backend}, lease ${lease.leaseMs} ms`);
    const samples = await onBackend(lab, backend, lease);
    all.push(
      measure({
        figure,
        backend,
        what: `kill -9 to claimed elsewhere, median of ${samples.length}`,
        value: median(samples) / 1_000,
        unit: 's',
        peer: { name: 'lease', value: lease.leaseMs / 1_000 },
        goal: { of: 'value', atMost: (lease.leaseMs + GRACE_MS) / 1_000 },
        note: `lease ${lease.leaseMs} ms, renewed every ${lease.renewMs} ms${lab.quick ? ' (scaled down; the default is 15 s)' : ' (the default)'}; the victim is killed during a model call.`,
      }),
      measure({
        figure,
        backend,
        what: 'longest of them',
        value: Math.max(...samples) / 1_000,
        unit: 's',
        goal: { of: 'value', atMost: (lease.leaseMs + GRACE_MS) / 1_000 },
      }),
    );
  }
  return all;
}

async function onBackend(lab: Lab, backend: Backend, lease: typeof DEFAULT): Promise<number[]> {
  // One worker more than are killed.
  const kills = 2;
  const stack = await startStack(lab, {
    backend,
    workers: kills + 1,
    scenario: slowAgent,
    speed: 1,
    settings: { LEASE_MS: String(lease.leaseMs), RENEW_MS: String(lease.renewMs) },
  });
  const client = submitter(stack.url, stack.key, 1);
  try {
    const taskId = await client.submit({ agent: 'general', prompt: 'Take your time.' });
    const samples: number[] = [];
    let holder = await until('a first claim', 30_000, () => holderOf(stack.database, taskId, 0));
    for (let n = 0; n < kills; n += 1) {
      const victim = stack.workers.find(({ pid }) => pid === holder.pid);
      if (victim === undefined) throw new Error(`No worker of the bench has the pid ${holder.pid}`);
      const start = performance.now();
      await victim.kill();
      const { epoch } = holder;
      holder = await until('another claim', lease.leaseMs + 60_000, () =>
        holderOf(stack.database, taskId, epoch),
      );
      samples.push(performance.now() - start);
    }
    return samples;
  } finally {
    client.close();
    await stack.stop();
  }
}

/** Who runs the task under an epoch higher than the one given. */
async function holderOf(database: Database, taskId: string, epoch: number) {
  const { rows } = await database.pool.query<{ pid: number; epoch: number }>(
    `SELECT w.pid, t.epoch FROM tasks t JOIN workers w ON w.id = t.worker_id
     WHERE t.id = $1 AND t.epoch > $2 AND t.state = 'running'`,
    [taskId, epoch],
  );
  return rows[0] ?? null;
}

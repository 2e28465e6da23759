/** One tenant with a long backlog, another that submits one task at a time: how long the second waits, beside a plain FIFO queue. */
import { ToolRegistry } from '@bullpen/core';
import type { QueueConnection } from '@bullpen/queue';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../lab/database.js';
import { startInProcessWorker, type InProcessWorker } from '../lab/in-process-worker.js';
import type { Lab } from '../lab/lab.js';
import { benchAgent, createTask, scriptedModel } from '../lab/loop.js';
import { sideBySide } from '../lab/side-by-side.js';
import { openRawQueue } from '../peers/raw-bullmq.js';
import { measure, type Backend, type Measure } from '../report/measure.js';
import { median, percentile } from '../report/statistics.js';

const figure = 'fairness';
const SLOTS = 16;
/** How long a task keeps its slot: the answer of its only model call. */
const ANSWER_MS = 500;
/** What a backlog of somebody else may make of a start, besides the wait for a slot. */
const IDLE_STARTS = 3;
/** Between two tasks of the second tenant. */
const PAUSE_MS = 200;
const START_LIMIT_MS = 120_000;
/** What the model tells the tasks of the second tenant by. */
const MARK = 'You are the only one.';
const MANY = { tenant: 'default', agent: benchAgent([]) };
const ONE = { tenant: 'one', agent: { ...benchAgent([]), systemPrompt: MARK } };

/** Waits in ms, on each backend: those of a tenant with little work beside one with a long backlog. */
export async function measureFairness(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends) all.push(...(await onBackend(lab, backend)));
  return all;
}

async function onBackend(lab: Lab, backend: Backend): Promise<Measure[]> {
  const [backlog, samples] = lab.quick ? [1_000, 10] : [10_000, 30];
  const database = await lab.database(SLOTS + 4);
  const connection = lab.connection(backend, database);
  try {
    await database.pool.query(`INSERT INTO tenants (id, name) VALUES ($1, 'One')`, [ONE.tenant]);
    lab.say(`fairness on ${backend}: ${backlog} of one tenant, ${samples} of another`);
    const fifo = await rawFifo(connection, backlog);
    const starts = new Starts();
    const worker = await startInProcessWorker({
      database,
      connection,
      slots: SLOTS,
      model: () =>
        scriptedModel(async (_n, request) => {
          starts.saw(request.system);
          await sleep(ANSWER_MS);
          return { text: 'Done.' };
        }),
      tools: new ToolRegistry([]),
    });
    try {
      await startsOf(samples / 5, database, worker, starts); // Warm.
      const idle = await startsOf(samples, database, worker, starts);
      await sideBySide(8, backlog, () =>
        createTask(database.pool, MANY.agent, worker.committed, MANY.tenant),
      );
      const busy = await startsOf(samples, database, worker, starts);
      return lines(backend, backlog, { idle, busy, fifo });
    } finally {
      await worker.close();
    }
  } finally {
    await database.drop();
  }
}

interface Start {
  readonly ms: number;
  /** Tasks of the other tenant that started in the meantime. */
  readonly passed: number;
}

function lines(
  backend: Backend,
  backlog: number,
  { idle, busy, fifo }: { idle: readonly Start[]; busy: readonly Start[]; fifo: Start },
): Measure[] {
  const p95 = (starts: readonly Start[]) =>
    percentile(
      starts.map(({ ms }) => ms),
      0.95,
    );
  const passed = busy.map((start) => start.passed);
  const one = (rest: Omit<Parameters<typeof measure>[0], 'figure' | 'backend'>) =>
    measure({ figure, backend, ...rest });
  return [
    one({
      what: `submit to start beside a backlog of ${backlog}, p95`,
      value: p95(busy),
      unit: 'ms',
      peer: { name: 'the same without a backlog', value: p95(idle) },
      goal: { of: 'value', atMost: IDLE_STARTS * p95(idle) + ANSWER_MS / SLOTS },
      note:
        `one worker of ${SLOTS} slots, each held for ${ANSWER_MS} ms by a task: all are taken, so that a start waits for one to end. ` +
        `The goal is ${IDLE_STARTS} starts without a backlog and that wait.`,
    }),
    one({
      what: `submit to start beside a backlog of ${backlog}, p50`,
      value: median(busy.map(({ ms }) => ms)),
      unit: 'ms',
      peer: { name: 'raw BullMQ, behind as many empty jobs', value: fifo.ms },
      note: 'the jobs of the raw queue hold no slot at all; at the length of ours the last one would wait for minutes.',
    }),
    one({
      what: 'tasks of the backlog that start before it, most',
      value: Math.max(...passed),
      unit: 'tasks',
      peer: { name: 'raw BullMQ', value: fifo.passed },
    }),
  ];
}

/** Submits so many tasks of the second tenant, one at a time. */
async function startsOf(
  count: number,
  database: Database,
  worker: InProcessWorker,
  starts: Starts,
): Promise<Start[]> {
  const all: Start[] = [];
  for (let n = 0; n < count; n += 1) {
    await sleep(PAUSE_MS);
    const before = starts.many;
    const begin = performance.now();
    const started = starts.nextOfOne();
    await createTask(database.pool, ONE.agent, worker.committed, ONE.tenant);
    all.push({ ms: (await started) - begin, passed: starts.many - before });
  }
  return all;
}

/** What the model sees of both tenants. */
class Starts {
  many = 0;
  private told: (at: number) => void = () => undefined;

  saw(system: string): void {
    if (system.includes(MARK)) this.told(performance.now());
    else this.many += 1;
  }

  /** When the next task of the second tenant starts. */
  nextOfOne(): Promise<number> {
    const limit = AbortSignal.timeout(START_LIMIT_MS);
    return new Promise((resolve, reject) => {
      this.told = resolve;
      limit.addEventListener('abort', () => reject(new Error('A task of the second tenant never started')));
    });
  }
}

/** A plain queue has one line: what comes last starts last. */
async function rawFifo(connection: QueueConnection, backlog: number): Promise<Start> {
  const raw = await openRawQueue(connection, SLOTS);
  return raw.behind(backlog).finally(() => raw.close());
}

/** Live events: many watchers of many tasks, which lose their connections all the time. What is lost, and how late the rest comes. */
import { join } from 'node:path';
import { errorText } from '@bullpen/contracts';
import { ToolRegistry } from '@bullpen/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuTimeMs } from '../lab/cpu-time.js';
import type { Database } from '../lab/database.js';
import { startInProcessWorker } from '../lab/in-process-worker.js';
import type { Lab } from '../lab/lab.js';
import { benchAgent, createTask, NOOP, noopTurns, scriptedModel } from '../lab/loop.js';
import { startNode, type NodeProcess } from '../lab/node-process.js';
import { serverCpuMs } from '../lab/server-cpu.js';
import { startStack, type Stack } from '../lab/stack.js';
import type { WatchRequest, Watched } from '../lab/watch-process.js';
import { queueEventLatencies } from '../peers/queue-events.js';
import { measure, type Backend, type Measure, type Peer } from '../report/measure.js';
import { percentile } from '../report/statistics.js';

const figure = 'live';
const WATCH = new URL('../../dist/lab/watch-process.js', import.meta.url);
const WATCHERS_EACH = 10;
/** A turn of a task, so that a hundred of them, each with ten watchers, get about 2,000 events a second. */
const TURN_MS = 1_600;
const LIMIT_MS = 120_000;

/** Events that were lost, and how late the others came, on each backend. */
export async function measureLive(lab: Lab): Promise<Measure[]> {
  const all: Measure[] = [];
  for (const backend of lab.backends) all.push(...(await onBackend(lab, backend)));
  return all;
}

async function onBackend(lab: Lab, backend: Backend): Promise<Measure[]> {
  const [tasks, turns] = lab.quick ? [20, 3] : [100, 12];
  const watchers = tasks * WATCHERS_EACH;
  lab.say(`live events on ${backend}: ${watchers} watchers of ${tasks} tasks`);
  const stack = await startStack(lab, { backend, workers: 0, settings: { MAX_STREAMS: String(watchers) } });
  try {
    const watched = await watchTasks(lab, backend, stack, tasks, turns);
    // Only Redis lets a thousand connections listen.
    const peer = backend === 'redis' ? await queueEvents(lab, stack.database, tasks) : null;
    return lines(backend, watchers, watched, peer);
  } finally {
    await stack.stop();
  }
}

/** What BullMQ's own events take to as many watchers, in ms, or why that could not be measured. */
async function queueEvents(
  lab: Lab,
  database: Database,
  queues: number,
): Promise<readonly number[] | string> {
  try {
    return await queueEventLatencies(lab.connection('redis', database), {
      queues,
      watchersEach: WATCHERS_EACH,
      perSecond: 2 * queues,
      seconds: lab.quick ? 5 : 15,
    });
  } catch (error) {
    return errorText(error);
  }
}

/** What the watchers saw, and the cores that each part took meanwhile. */
interface Seen extends Watched {
  readonly cores: Cores;
}

type Cores = Readonly<Record<'gateway' | 'worker' | 'watchers' | 'postgres', number>>;

/** Runs so many tasks with their watchers to their ends. */
async function watchTasks(
  lab: Lab,
  backend: Backend,
  stack: Stack,
  tasks: number,
  turns: number,
): Promise<Seen> {
  const { database, url, key } = stack;
  const agent = benchAgent(['noop']);
  const taskIds = await Promise.all(Array.from({ length: tasks }, () => createTask(database.pool, agent)));
  const watching = await startNode({
    entry: WATCH,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    log: join(lab.folder, `watch-${backend}.log`),
    ready: 'ready',
  });
  try {
    const request: WatchRequest = { type: 'watch', url, key, taskIds, perTask: WATCHERS_EACH };
    await watching.ask(request, LIMIT_MS);
    const taken = await coresSince(stack, watching);
    const worker = await startInProcessWorker({
      database,
      connection: lab.connection(backend, database),
      slots: tasks,
      model: () => slowModel(turns),
      tools: new ToolRegistry([NOOP]),
      watched: true,
    });
    try {
      const watched = await watching.ask<Watched>({ type: 'watched' }, LIMIT_MS);
      return { ...watched, cores: await taken() };
    } finally {
      await worker.close();
    }
  } finally {
    await watching.kill();
  }
}

/** Gives, when it is called, the cores that each part has taken since; 0 where that cannot be known. */
async function coresSince(
  { gateway, database }: Stack,
  watching: NodeProcess,
): Promise<() => Promise<Cores>> {
  const look = async () => ({
    gateway: cpuTimeMs(gateway.pid) ?? 0,
    worker: cpuTimeMs(process.pid) ?? 0,
    watchers: cpuTimeMs(watching.pid) ?? 0,
    postgres: (await serverCpuMs(database.pool)) ?? 0,
  });
  const start = performance.now();
  const before = await look();
  return async () => {
    const after = await look();
    const ms = performance.now() - start;
    const of = (part: keyof Cores) => (after[part] - before[part]) / ms;
    return {
      gateway: of('gateway'),
      worker: of('worker'),
      watchers: of('watchers'),
      postgres: of('postgres'),
    };
  };
}

/** Turns at the pace of a model; the first one comes at any time, so that the tasks do not go in step. */
function slowModel(turns: number) {
  const answer = noopTurns(turns);
  return scriptedModel(async (n) => {
    await sleep(n === 0 ? Math.random() * TURN_MS : TURN_MS);
    return answer(n);
  });
}

function lines(
  backend: Backend,
  watchers: number,
  { lost, repeated, reconnects, perSecond, p50Ms, p99Ms, cores }: Seen,
  peer: readonly number[] | string | null,
): Measure[] {
  const late = (share: number): { peer?: Peer } => {
    if (peer === null) return {};
    const name = 'BullMQ QueueEvents';
    if (typeof peer === 'string') return { peer: { name, value: null, problem: peer } };
    const unequal =
      'a Redis connection each, without keys or tenants, which is not cut; nothing but jobs is stored.';
    return { peer: { name, value: percentile(peer, share), unequal } };
  };
  return [
    measure({
      figure,
      backend,
      what: `events lost or repeated, ${watchers} watchers`,
      value: lost + repeated,
      unit: 'events',
      goal: { of: 'value', atMost: 0 },
      note:
        `each event is a row of the record; ${WATCHERS_EACH} watchers a task, ${reconnects} connections cut meanwhile. From the event's transaction to its watcher. ` +
        `Cores taken: gateway ${cores.gateway.toFixed(2)}, worker ${cores.worker.toFixed(2)}, ` +
        `the watchers themselves ${cores.watchers.toFixed(2)}, Postgres ${cores.postgres.toFixed(2)}.`,
    }),
    measure({
      figure,
      backend,
      what: 'events to all watchers together',
      value: perSecond,
      unit: 'events/s',
      goal: { of: 'value', atLeast: 2_000 },
    }),
    measure({
      figure,
      backend,
      what: 'CPU of the gateway for an event to a watcher, connecting included',
      value: (cores.gateway * 1_000_000) / perSecond,
      unit: 'us',
    }),
    measure({
      figure,
      backend,
      what: 'from the event to its watcher, p99',
      value: p99Ms,
      unit: 'ms',
      ...late(0.99),
      goal: { of: 'value', atMost: 50 },
    }),
    measure({
      figure,
      backend,
      what: 'from the event to its watcher, p50',
      value: p50Ms,
      unit: 'ms',
      ...late(0.5),
    }),
  ];
}

/** Puts a worker together: what it runs tasks with, where wakes come from, and how it stops. */
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { BUILTIN_AGENTS, DEFAULT_RETRY, harnessTools, type LoopDeps, type Tool } from '@bullpen/core';
import { AnthropicModel, priceOf } from '@bullpen/models';
import { newId, type Logger, type ShutdownStep, type WorkerSettings } from '@bullpen/platform';
import {
  Announcer,
  openEventBus,
  openTaskQueue,
  PgLeaderLock,
  QueueWorker,
  Reconciler,
  type QueueConnection,
} from '@bullpen/queue';
import {
  createPool,
  LeaseKeeper,
  markAnnounced,
  PostgresTaskStore,
  seeWorker,
  StoreReconciler,
} from '@bullpen/store';
import { createTools, FileTracker, validateJson } from '@bullpen/tools';
import { nobodyUser, WorkspaceManager } from '@bullpen/workspace';
import { Activator } from './activator.js';
import { LiveDeltas } from './live-deltas.js';
import { reconcilerJobs } from './reconciler-jobs.js';

/** The lock of the reconciler role: one holder in the whole installation. The number is arbitrary and must never change. */
const RECONCILER_LOCK = 7_300_000_001n;
/** How often a worker says that it lives. */
const SEEN_EVERY_MS = 5_000;
/** What a simulator is given as a key: it takes any. */
const SIMULATED_KEY = 'simulated';

export interface RunningWorker {
  readonly id: string;
  /** In the order in which they must run. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

export interface WorkerOptions {
  readonly settings: WorkerSettings & { readonly DATABASE_URL: string };
  readonly logger: Logger;
  readonly version: string;
  /** Where commands of agents find programs, as in PATH. */
  readonly commandPath: string;
}

/** Starts a worker; resolves when it takes wakes. Throws when the database cannot be reached. */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { settings, logger, version } = options;
  const id = newId('worker');
  const databaseUrl = settings.DATABASE_URL;
  const connection: QueueConnection = settings.REDIS_URL
    ? { kind: 'redis', redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX }
    : { kind: 'postgres', databaseUrl };
  const pool = createPool({
    databaseUrl,
    max: settings.WORKER_SLOTS + 4,
    applicationName: `bullpen-worker-${id}`,
  });
  const bus = openEventBus(connection, logger);
  const queue = openTaskQueue(connection, logger);
  const announcer = new Announcer({
    queue,
    bus,
    markAnnounced: (wakes) => markAnnounced(pool, wakes),
    logger,
  });
  const live = new LiveDeltas(bus);
  const onCommitted: Announcer['committed'] = (effects) => {
    live.settle(effects.rows);
    announcer.committed(effects);
  };
  const store = new PostgresTaskStore({ pool, leaseMs: settings.LEASE_MS, newId, onCommitted });
  const keeper = new LeaseKeeper({
    databaseUrl,
    workerId: id,
    leaseMs: settings.LEASE_MS,
    renewMs: settings.RENEW_MS,
    onProblem: (message) => logger.warn({ message }, 'lease renewal'),
  });
  await keeper.started();

  const tracker = new FileTracker();
  const activator = new Activator({
    store,
    keeper,
    workerId: id,
    logger,
    deps: await loopDeps(options, store, live, tracker),
    onFinished: (taskId) => tracker.forget(taskId),
  });
  const worker = new QueueWorker({
    connection,
    slots: settings.WORKER_SLOTS,
    logger,
    activate: (wake, signal) => activator.activate(wake, signal),
    name: id,
  });
  const unsubscribe = await bus.subscribe(
    (message) => {
      if (message.kind === 'cancel') keeper.lookNow();
    },
    () => keeper.lookNow(),
  );
  const repairs = new StoreReconciler({ pool, onCommitted });
  const reconciler = new Reconciler({
    lock: new PgLeaderLock({ databaseUrl, key: RECONCILER_LOCK, logger }),
    jobs: reconcilerJobs(repairs, announcer, queue),
    logger,
    onRepairs: (kind, count) => {
      repairs
        .countRepairs(kind, count)
        .catch((error: unknown) => logger.warn({ err: error }, 'repairs could not be counted'));
    },
  });
  const say = (stopped: boolean) =>
    seeWorker(
      pool,
      {
        id,
        host: hostname(),
        pid: process.pid,
        slots: settings.WORKER_SLOTS,
        running: keeper.size,
        version,
        simulated: settings.MODEL_SIMULATED,
      },
      stopped,
    ).catch((error: unknown) => logger.warn({ err: error }, 'the worker row could not be written'));
  await say(false);
  const seen = setInterval(() => void say(false), SEEN_EVERY_MS);
  reconciler.start();
  worker.start();

  return {
    id,
    shutdownSteps: [
      { name: 'stop taking wakes', run: () => worker.pause() },
      {
        name: 'bring running tasks to a border',
        run: async () => {
          activator.drain();
          await worker.close(settings.DRAIN_MS);
        },
      },
      { name: 'stop the reconciler', run: () => reconciler.stop() },
      { name: 'tell the rest', run: () => announcer.settled() },
      { name: 'close live events', run: () => unsubscribe().then(() => bus.close()) },
      { name: 'close the queue', run: () => queue.close() },
      { name: 'give up the leases', run: () => keeper.close() },
      {
        name: 'close the database',
        run: async () => {
          clearInterval(seen);
          await say(true);
          await pool.end();
        },
      },
    ],
  };
}

/** What the agent loop is given: real model, tools, clock and ids. */
async function loopDeps(
  { settings, logger, commandPath }: WorkerOptions,
  store: PostgresTaskStore,
  live: LiveDeltas,
  tracker: FileTracker,
): Promise<Omit<LoopDeps, 'shouldYield'>> {
  const commandUser = await nobodyUser(settings.COMMAND_USER);
  if (process.getuid?.() === 0 && commandUser === null) {
    logger.warn(
      { user: settings.COMMAND_USER },
      'there is no such user for commands: run_command is refused while the worker is root',
    );
  }
  const workspaces = new WorkspaceManager({
    root: join(settings.BULLPEN_HOME, 'workspaces'),
    allowPaths: 'any',
    commandUser,
  });
  const tools = createTools({
    command: { user: commandUser, homesRoot: join(settings.BULLPEN_HOME, 'homes'), path: commandPath },
    tracker,
  });
  const apiKey = settings.ANTHROPIC_API_KEY ?? (settings.MODEL_SIMULATED ? SIMULATED_KEY : '');
  return {
    store,
    model: new AnthropicModel({
      apiKey,
      ...(settings.ANTHROPIC_BASE_URL === undefined ? {} : { baseURL: settings.ANTHROPIC_BASE_URL }),
    }),
    tools: (task) => {
      const own = harnessTools(() => task, { agents: BUILTIN_AGENTS, validate: validateJson });
      const all = new Map<string, Tool>([...tools, ...own].map((tool) => [tool.name, tool]));
      return new Map(
        task.definition.tools.flatMap((name) => {
          const tool = all.get(name);
          return tool ? [[name, tool] as const] : [];
        }),
      );
    },
    workspace: async (task, signal) => (await workspaces.prepare(task.rootId, task.workspace, signal)).path,
    validate: validateJson,
    priceOf,
    retry: DEFAULT_RETRY,
    now: Date.now,
    sleep,
    timeout: (ms) => AbortSignal.timeout(ms),
    random: Math.random,
    newId,
    hash: (text) => createHash('sha256').update(text).digest('hex').slice(0, 32),
    emit: (taskId, delta) => live.push(taskId, delta),
  };
}

/** Resolves after `ms`, or at once when the signal fires. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

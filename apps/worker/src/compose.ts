/** Puts a worker together: what it runs tasks with, where wakes come from, and how it stops. */
import type { CommitEffects } from '@bullpen/contracts';
import type { Masker } from '@bullpen/core';
import { homeId, newId, type Logger, type ShutdownStep, type WorkerSettings } from '@bullpen/platform';
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
  Dispatches,
  DueRestores,
  Flows,
  LeaseKeeper,
  PostgresTaskStore,
  ProcessStore,
  ProviderKeys,
  StoreReconciler,
  TaskCommands,
  WebhookOutbox,
  requireOwnSessions,
} from '@bullpen/store';
import { FileTracker } from '@bullpen/tools';
import type { SandboxLevel } from '@bullpen/workspace';
import { Activator } from './activator.js';
import { leaderJobs } from './leader-jobs.js';
import { LiveDeltas } from './live-deltas.js';
import { ownFolderOf } from './own-folder-of.js';
import { loopDeps, providerKey } from './loop-deps.js';
import { announcePresence } from './presence.js';
import { SharedGate } from './provider-gate.js';
import { lookForWork } from './reconciler-jobs.js';
import { TaskProcesses } from './task-processes.js';
import { timeoutSignal } from './timeout-signal.js';
import { WorkerFlow } from './worker-flow.js';
import type { House } from './workspaces/house.js';
import type { WorkspaceRestores } from './workspaces/restores.js';
import { maskWebhookSecrets } from './webhooks/mask-webhook-secrets.js';
import { WebhookSender } from './webhooks/sender.js';

/** The lock of the reconciler role: one holder in the whole installation. The number is arbitrary and must never change. */
const RECONCILER_LOCK = 7_300_000_001n;

/** Removing what nobody needs any more may take so long, in ms. */
const TIDY_MS = 60_000;

/**
 * Connections for the work on the store, at most, however many slots there are: usual steps share two, and nobody who has one asks for another, so whoever holds a
 * lock can go on.
 */
const CONNECTIONS = 12;

export interface RunningWorker {
  readonly id: string;
  /** What holds the commands of its tasks. */
  readonly sandbox: SandboxLevel;
  /** In the order in which they must run. */
  readonly shutdownSteps: readonly ShutdownStep[];
}

export interface WorkerOptions {
  readonly settings: WorkerSettings & { readonly DATABASE_URL: string };
  readonly logger: Logger;
  readonly version: string;
  /** Knows the values that must not be seen; the logger masks with it, too. */
  readonly masker: Masker;
  /** Where commands of agents find programs, as in PATH. */
  readonly commandPath: string;
  /** A part has failed that the worker cannot go on without: end it in order. */
  readonly onFailed?: (error: Error) => void;
}

/**
 * Starts a worker; resolves when it takes wakes. Throws when the database cannot be reached, and `config_invalid` without an API
 * key or with a database behind a pooler that shares sessions.
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { settings, logger } = options;
  providerKey(settings); // Throws without a key, before anything is open that would have to be closed.
  const id = newId('worker');
  const databaseUrl = settings.DATABASE_URL;
  await requireOwnSessions(databaseUrl);
  const slots = settings.WORKER_SLOTS;
  const pool = createPool({ databaseUrl, max: CONNECTIONS, applicationName: `bullpen-worker-${id}` });
  const channel = openChannel(settings, pool, logger);
  const { bus, queue, announcer, connection } = channel;
  const keeper = new LeaseKeeper({
    databaseUrl,
    workerId: id,
    leaseMs: settings.LEASE_MS,
    renewMs: settings.RENEW_MS,
    onProblem: (message) => logger.warn({ message }, 'lease renewal'),
    onDead: (error) => options.onFailed?.(error),
  });
  await keeper.started();

  const gate = await openGate(options, pool, channel);
  const flow = openFlow(id, pool, channel, logger);
  const { activator, processes, house, restores, sandbox } = await openActivator(options, pool, channel, {
    ...{ id, keeper, gate, flow },
  });
  const worker = new QueueWorker({
    ...{ connection, slots, logger },
    activate: (wake, signal) => activator.activate(wake, signal),
    reactivate: (wake, signal) => activator.reactivate(wake, signal),
    name: id,
  });
  flow.steer(worker, activator);
  const unsubscribe = await listen(bus, { id, keeper, gate, processes, restores, flow });
  // The first connection takes time that the first announcement must not be without.
  await queue.ping().catch((error: unknown) => logger.warn({ err: error }, 'the queue does not answer yet'));
  await gate.refresh(); // What was told before this worker listened.
  const stopping = new AbortController();
  const webhooks = await openWebhooks(options, pool);
  const reconciler = openReconciler(options, pool, { ...channel, webhooks }, stopping.signal);
  const presence = await announce(options, pool, { id, keeper, gate, sandbox, flow });
  for (const part of [reconciler, house, restores, webhooks, worker]) part.start();
  // For the first time these slots are there to be filled.
  void announcer.dispatch();

  return {
    ...{ id, sandbox },
    shutdownSteps: [
      {
        name: 'stop taking wakes',
        run: () => {
          void presence.leave();
          return worker.pause();
        },
      },
      {
        name: 'bring tasks to the end of their step',
        run: () => {
          activator.drain();
          return worker.close(settings.DRAIN_MS);
        },
      },
      { name: 'end processes', run: () => processes.stop() },
      {
        name: 'stop the reconciler',
        run: () => {
          stopping.abort();
          return reconciler.stop();
        },
      },
      { name: 'leave workspaces alone', run: () => restores.stop().then(() => house.stop()) },
      { name: 'stop sending webhooks', run: () => webhooks.stop() },
      { name: 'leave the provider gate', run: () => gate.close() },
      { name: 'send the last announcements', run: () => announcer.settled() },
      { name: 'close live events', run: () => unsubscribe().then(() => bus.close()) },
      { name: 'close the queue', run: () => queue.close() },
      { name: 'give up the leases', run: () => keeper.close() },
      { name: 'close the database', run: () => presence.stop().then(() => pool.end()) },
    ],
  };
}

/** Tells the others that this worker is there, as long as it is. */
function announce(
  { settings, logger, version }: WorkerOptions,
  pool: ReturnType<typeof createPool>,
  worker: { id: string; keeper: LeaseKeeper; gate: SharedGate; sandbox: SandboxLevel; flow: WorkerFlow },
): ReturnType<typeof announcePresence> {
  const { WORKER_SLOTS: slots, MODEL_SIMULATED: simulated } = settings;
  const { id, keeper, gate, sandbox, flow } = worker;
  return announcePresence({
    ...{ pool, workerId: id, slots, version, simulated, running: () => keeper.size, logger },
    onFlow: (state) => flow.follow(state),
    everyMs: Math.min(settings.RENEW_MS, 5_000),
    ...{ providerKey: gate.key, sandbox, home: homeId(ownFolderOf(settings)) },
    keepHours: settings.WORKSPACE_KEEP_HOURS,
  });
}

/** What a run of a task is given, and who starts it. */
async function openActivator(
  options: WorkerOptions,
  pool: ReturnType<typeof createPool>,
  { announcer, dispatches, live, onCommitted }: ReturnType<typeof openChannel>,
  { id, keeper, gate, flow }: { id: string; keeper: LeaseKeeper; gate: SharedGate; flow: WorkerFlow },
): Promise<{
  activator: Activator;
  processes: TaskProcesses;
  house: House;
  restores: WorkspaceRestores;
  sandbox: SandboxLevel;
}> {
  const { settings, logger } = options;
  const store = new PostgresTaskStore({ pool, leaseMs: settings.LEASE_MS, newId, onCommitted });
  const commands = new TaskCommands({ pool, newId, onCommitted });
  const tracker = new FileTracker();
  const records = new ProcessStore({ pool, newId, onCommitted });
  const due = new DueRestores({ pool, newId, onCommitted });
  const run = await loopDeps({
    ...{ ...options, pool, store, live, gate, tracker, workerId: id, records, due },
  });
  const processes = new TaskProcesses({ processes: run.processes, records, logger });
  const activator = new Activator({
    ...{ store, keeper, workerId: id, logger, deps: run.deps },
    onClaimed: processes.claimed,
    onFinished: (taskId) => {
      tracker.forget(taskId);
      void processes
        .finished(taskId)
        .then(() => run.house.tidySubtasks(timeoutSignal(TIDY_MS)))
        .catch((err: unknown) => logger.warn({ err }, 'what a subtask had for itself could not be removed'));
    },
    handBack: (wake) => dispatches.returned([wake]),
    onReleased: () => void announcer.dispatch(),
    onNothingToClaim: () => flow.look(),
    retry: ({ taskId, wake }) =>
      commands.retryWake(taskId, { messageId: newId('inbox'), message: null, limits: {}, wake }),
  });
  return { activator, processes, house: run.house, restores: run.restores, sandbox: run.sandbox };
}

interface Listeners {
  readonly id: string;
  readonly keeper: LeaseKeeper;
  readonly gate: SharedGate;
  readonly processes: TaskProcesses;
  readonly restores: WorkspaceRestores;
  readonly flow: WorkerFlow;
}

/** Hears of cancels, interrupts, restores, provider keys and its own flow; looks for itself when it may have missed something. */
function listen(
  bus: ReturnType<typeof openChannel>['bus'],
  { id, keeper, gate, processes, restores, flow }: Listeners,
): Promise<() => Promise<void>> {
  return bus.subscribe(
    (message) => {
      if (message.kind === 'cancel') keeper.lookNow();
      if (message.kind === 'cancel' || message.kind === 'process') processes.lookNow();
      if (message.kind === 'restore') restores.lookNow();
      if (message.kind === 'provider' && message.key === gate.key) void gate.refresh();
      if (message.kind === 'worker' && message.workerId === id) void flow.look();
    },
    () => {
      keeper.lookNow();
      processes.lookNow();
      restores.lookNow();
      void gate.refresh();
      void flow.look();
    },
  );
}

/** The ways out of a worker: queue, live bus, and who tells both what a commit did. */
function openChannel(
  settings: WorkerOptions['settings'],
  pool: ReturnType<typeof createPool>,
  logger: Logger,
) {
  const connection: QueueConnection = settings.REDIS_URL
    ? { kind: 'redis', redisUrl: settings.REDIS_URL, prefix: settings.QUEUE_PREFIX }
    : { kind: 'postgres', databaseUrl: settings.DATABASE_URL };
  const bus = openEventBus(connection, logger);
  const queue = openTaskQueue(connection, logger);
  const dispatches = new Dispatches(pool);
  const announcer = new Announcer({ queue, bus, backlog: dispatches, logger });
  const live = new LiveDeltas(bus);
  const onCommitted = (effects: CommitEffects) => {
    live.settle(effects.rows);
    announcer.committed(effects);
  };
  return { connection, bus, queue, dispatches, announcer, live, onCommitted };
}

function openFlow(
  id: string,
  pool: ReturnType<typeof createPool>,
  { announcer }: ReturnType<typeof openChannel>,
  logger: Logger,
): WorkerFlow {
  const flows = new Flows(pool);
  return new WorkerFlow({
    read: () => flows.ofWorker(id),
    onOpened: () => void announcer.dispatch(),
    logger,
  });
}

async function openGate(
  { settings, logger }: WorkerOptions,
  pool: ReturnType<typeof createPool>,
  { bus, onCommitted }: ReturnType<typeof openChannel>,
): Promise<SharedGate> {
  const onChanged = (key: string) => bus.publish({ kind: 'provider', key });
  const keys = new ProviderKeys({ pool, onCommitted, onChanged });
  const gate = new SharedGate({ key: providerKey(settings), keys, logger });
  await gate.start();
  return gate;
}

type Webhooks = Pick<WebhookSender, 'start' | 'poke' | 'stop'>;

async function openWebhooks(
  { settings, logger, version, masker }: WorkerOptions,
  pool: ReturnType<typeof createPool>,
): Promise<Webhooks> {
  const target = { allowed: settings.WEBHOOK_ALLOW_PRIVATE ?? [] };
  const sender = new WebhookSender({ outbox: new WebhookOutbox(pool), target, version, logger, masker });
  const secrets = await maskWebhookSecrets({ pool, masker, logger });
  return {
    start: () => sender.start(),
    poke: () => sender.poke(),
    stop: async () => {
      await Promise.all([sender.stop(), secrets.stop()]);
    },
  };
}

function openReconciler(
  { settings, logger }: WorkerOptions,
  pool: ReturnType<typeof createPool>,
  { onCommitted, webhooks, ...channel }: ReturnType<typeof openChannel> & { webhooks: Webhooks },
  signal: AbortSignal,
): Reconciler {
  const store = new StoreReconciler({ pool, onCommitted, leaseMs: settings.LEASE_MS });
  return new Reconciler({
    lock: new PgLeaderLock({ databaseUrl: settings.DATABASE_URL, key: RECONCILER_LOCK, logger }),
    jobs: leaderJobs(
      { ...channel, settings, pool, store, logger, onWebhooks: () => webhooks.poke() },
      signal,
    ),
    look: () => lookForWork(store),
    logger,
    onRepairs: (kind, count) => {
      store.countRepairs(kind, count).catch((error: unknown) => {
        logger.warn({ err: error }, 'repairs could not be counted');
      });
    },
  });
}

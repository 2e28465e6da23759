/**
 * Where the queue lives, and the BullMQ options that follow from it. The one place that knows the two backends: everything
 * else asks for options and a backend factory and stays the same on Redis and on Postgres.
 */
import type { EventEmitter } from 'node:events';
import {
  createRedisBackend,
  Queue,
  setDefaultBackendFactory,
  type BackendFactory,
  type ConnectionOptions,
  type QueueOptions,
} from 'bullmq';
import { postgresBackend } from './postgres-backend.js';

/** Name of the one queue. BullMQ refuses colons in it. */
export const QUEUE_NAME = 'bullpen-tasks';

/** Name of the jobs in it, as the queue dashboards show it. */
export const JOB_NAME = 'wake';

/** Postgres schema that holds BullMQ's tables; apart from the product's own. */
const QUEUE_SCHEMA = 'bullmq';

/**
 * Where the queue and the live events live. `prefix` keeps several installations apart on one Redis; on Postgres the
 * database does that.
 */
export type QueueConnection =
  | { readonly kind: 'postgres'; readonly databaseUrl: string }
  | { readonly kind: 'redis'; readonly redisUrl: string; readonly prefix: string };

/** A producer answers requests and must fail fast; a worker may wait for its server as long as it takes. */
type ConnectionRole = 'producer' | 'worker';

/** What every BullMQ class of ours is built with. */
interface BullOptions {
  readonly connection: ConnectionOptions;
  /** Redis only; the Postgres backend ignores it. */
  readonly prefix?: string;
}

/** Longest wait of a producer for one answer, in ms. The rows in Postgres are the outbox, so giving up early costs nothing. */
export const PRODUCER_TIMEOUT_MS = 1_000;

/** Longest pause between two tries to reconnect, in ms: people see a restarted server being used again at once. */
const MAX_RECONNECT_MS = 1_000;

/**
 * How long a Redis connection may take to close, in ms. ioredis waits that long even for one that is already gone, and keeps the
 * process alive: two seconds by default.
 */
export const GOODBYE_MS = 250;

/** Options for BullMQ's `Queue` (`producer`) or `Worker` (`worker`) on that connection. Opens nothing by itself. */
export function bullOptions(connection: QueueConnection, role: ConnectionRole): BullOptions {
  if (connection.kind === 'postgres') return { connection: postgresOptions(connection.databaseUrl, role) };
  return { connection: redisOptions(connection.redisUrl, role), prefix: connection.prefix };
}

/** The backend to hand to BullMQ's constructors as their last argument. */
export function backendFactory(connection: QueueConnection): BackendFactory {
  // The factories are typed by their own connection options; `bullOptions` builds the matching ones.
  return (connection.kind === 'postgres' ? postgresBackend : createRedisBackend) as BackendFactory;
}

/**
 * Makes the connection's backend the default of every BullMQ class in this process, for code that builds them without a
 * factory (@nestjs/bullmq). Call it before those modules start; the last call wins.
 */
export function installDefaultBackend(connection: QueueConnection): void {
  if (connection.kind === 'postgres') setDefaultBackendFactory(postgresBackend);
  else setDefaultBackendFactory();
}

/** Options for `BullModule.forRoot` of @nestjs/bullmq: a producer with our limits. Pair it with `installDefaultBackend`. */
export function nestBullRootOptions(connection: QueueConnection): QueueOptions {
  return { ...bullOptions(connection, 'producer'), ...queueLimits() };
}

/**
 * Bounds on what the queue keeps. Finished jobs are only for people to look at, and an unbounded event stream has filled
 * Redis instances of others (taskforcesh/bullmq#2734). `attempts: 1`: retries are computed in Postgres.
 */
export function queueLimits(): Pick<QueueOptions, 'defaultJobOptions' | 'streams'> {
  return {
    defaultJobOptions: {
      attempts: 1,
      removeOnComplete: { count: 1_000 },
      removeOnFail: { count: 5_000 },
      stackTraceLimit: 5,
      sizeLimit: 2_048,
    },
    streams: { events: { maxLen: 1_000 } },
  };
}

/** BullMQ's own queue, for code that looks at jobs as a dashboard does. Give it a listener for `error`, and close it. */
export function openBullQueue(connection: QueueConnection): Queue {
  return new Queue(
    QUEUE_NAME,
    { ...bullOptions(connection, 'producer'), ...queueLimits() },
    backendFactory(connection),
  ) as unknown as Queue;
}

/** Time until the n-th try to reconnect, in ms: 50, 100, 200, ... up to a second. */
export function reconnectDelayMs(tries: number): number {
  return Math.min(50 * 2 ** Math.min(tries - 1, 10), MAX_RECONNECT_MS);
}

function redisOptions(redisUrl: string, role: ConnectionRole): ConnectionOptions {
  const common = {
    ...{ url: redisUrl, retryStrategy: reconnectDelayMs, connectTimeout: 5_000, keepAlive: 5_000 },
    disconnectTimeout: GOODBYE_MS,
  };
  if (role === 'worker') return { ...common, maxRetriesPerRequest: null };
  return {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: PRODUCER_TIMEOUT_MS,
  };
}

/** Pools stay small: a worker needs one statement per claim and finish, and Postgres allows 100 connections by default. */
function postgresOptions(databaseUrl: string, role: ConnectionRole): ConnectionOptions {
  return {
    connectionString: databaseUrl,
    schema: QUEUE_SCHEMA,
    migrate: true,
    max: role === 'worker' ? 3 : 2,
    connectionTimeoutMillis: 5_000,
    // Not tighter for producers: the first statement may be a migration, or wait for another process's migration.
    query_timeout: role === 'worker' ? 15_000 : 5_000,
    keepAlive: true,
    // BullMQ holds connections without a listener (while it prepares its tables), and one that is lost then would end the process.
    // The code that uses the connection learns of the loss from its next statement.
    onConnect: (client: EventEmitter) => void client.on('error', () => undefined),
  };
}

/**
 * Redis connections that went silent without being closed (a lost machine, a firewall that dropped the connection). TCP notices
 * after many minutes, and until then every command waits. ioredis has a `socketTimeout` for this, but in 5.11 its timer outlives
 * the socket and later breaks the next, healthy one.
 */
import type { IQueueBackend, Queue, RedisQueueBackend, Worker } from 'bullmq';
import { settlesWithin, within } from './within.js';

/** How often a worker's connection is asked, and how long the answer may take, in ms. */
const HEARTBEAT_MS = 5_000;

/** Time for an already settled promise to be noticed, in ms. */
const CLIENT_MS = 100;

/** Watches the worker's connection until the worker closes. Its blocking connection is watched by BullMQ itself. */
export function keepAnswering(worker: Worker): void {
  let asking = false;
  const beat = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      const backend = worker.getBackend();
      // Any small question will do.
      if (!(await settlesWithin(HEARTBEAT_MS, backend.getQueueMetaField('version'))))
        await reconnectSilent(backend);
    } finally {
      asking = false;
    }
  };
  const timer = setInterval(() => void beat(), HEARTBEAT_MS).unref();
  worker.once('closing', () => clearInterval(timer));
}

/**
 * Connects anew when the backend is on Redis and its connection counts as good. Nothing on Postgres, whose pool replaces a
 * connection when a statement takes too long. Never throws.
 */
export async function reconnectSilent(backend: IQueueBackend): Promise<void> {
  if (!isRedis(backend)) return;
  // BullMQ's promise of a client waits for the first connect, and a connection that never existed needs no replacement.
  const client = await within(CLIENT_MS, 'The Redis client', backend.client).catch(() => null);
  if (client?.status === 'ready') client.disconnect(true);
}

/**
 * Ends the Redis connection of a queue that was closed. BullMQ only closes cleanly, and if there is no server, the connection keeps
 * looking for it forever and keeps the process alive. Nothing on Postgres. Never throws.
 */
export async function endConnection(backend: IQueueBackend): Promise<void> {
  if (!isRedis(backend)) return;
  const client = await within(CLIENT_MS, 'The Redis client', backend.client).catch(() => null);
  client?.disconnect();
}

/**
 * Throws what Redis says when it answers but takes no writes: its memory or disk is full, or it is a replica. Does nothing on Postgres.
 */
export async function provesWrites(queue: Queue): Promise<void> {
  const backend = queue.getBackend();
  if (!isRedis(backend)) return;
  const client = await backend.client;
  await client.set(queue.toKey('write-probe'), Date.now(), { PX: 60_000 });
}

function isRedis(backend: IQueueBackend): backend is RedisQueueBackend {
  return 'client' in backend;
}

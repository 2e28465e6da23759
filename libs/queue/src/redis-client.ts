/** Our own Redis connections, in addition to those that BullMQ makes. */
import { Redis } from 'ioredis';
import { GOODBYE_MS, reconnectDelayMs } from './connection.js';
import type { QuietLog } from './quiet-log.js';
import { within } from './within.js';

/** A connection that owes an answer for this long is dead, in ms. Above the longest blocking read. */
const SILENCE_MS = 10_000;

/**
 * A client that fails fast: nothing waits in it for a server to come back, and a command that was cut off rejects instead of
 * being sent again. Not connected yet; reconnects by itself until `disconnect`.
 */
export function openRedis(redisUrl: string, purpose: string, warn: QuietLog): Redis {
  const redis = new Redis(redisUrl, {
    connectionName: `bullpen ${purpose}`,
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 5_000,
    keepAlive: 5_000,
    disconnectTimeout: GOODBYE_MS,
    retryStrategy: reconnectDelayMs,
  });
  // Without a listener ioredis prints errors, past the logger.
  redis.on('error', (error: Error) => warn('Redis connection for live events', error));
  return redis;
}

/** Connects a client that never was. One that reconnects is left alone: the caller's command fails, and is tried again. */
export async function connectRedis(redis: Redis): Promise<void> {
  if (redis.status === 'wait') await redis.connect();
}

/** The answer of a command; a connection that does not give it in time is replaced, and `queue_unreachable` thrown. */
export async function answered<T>(redis: Redis, answer: Promise<T>): Promise<T> {
  const silence = setTimeout(() => redis.disconnect(true), SILENCE_MS);
  try {
    return await within(SILENCE_MS, 'An answer of Redis', answer);
  } finally {
    clearTimeout(silence);
  }
}

/** The implementations that a connection asks for. */
import type { Logger } from '@bullpen/platform';
import type { EventBus } from './bus.js';
import { BullTaskQueue } from './bull-task-queue.js';
import { PRODUCER_TIMEOUT_MS, type QueueConnection } from './connection.js';
import { PostgresEventBus } from './postgres-event-bus.js';
import { RedisEventBus } from './redis-event-bus.js';
import type { TaskQueue } from './task-queue.js';

/**
 * A task queue with its own connection. Connects when first used; never throws for an unreachable server. `timeoutMs` bounds
 * every call; the wait for a first connection counts.
 */
export function openTaskQueue(
  connection: QueueConnection,
  logger: Logger,
  timeoutMs = PRODUCER_TIMEOUT_MS,
): TaskQueue {
  return new BullTaskQueue({ source: { connection }, logger, timeoutMs });
}

/** The live events of the deployment. Connects when first used; never throws for an unreachable server. */
export function openEventBus(connection: QueueConnection, logger: Logger): EventBus {
  if (connection.kind === 'postgres')
    return new PostgresEventBus({ databaseUrl: connection.databaseUrl, logger });
  return new RedisEventBus({ redisUrl: connection.redisUrl, prefix: connection.prefix, logger });
}

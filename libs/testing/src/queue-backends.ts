/** Suites by what they need: one on each queue backend (every integration suite holds on both), or only with Redis. */
import { describe } from '@jest/globals';
import { redisAvailable, testRedis, type TestRedis } from './redis.js';

export interface QueueBackend {
  readonly name: 'postgres' | 'redis';
  /** A suite on this backend, its name in the title; skipped when the machine has no Redis. */
  describe(title: string, suite: () => void): void;
  /** A fresh Redis for this backend; null on Postgres, where the database is the queue. */
  start(): Promise<TestRedis | null>;
}

/** Both backends. `for (const backend of queueBackends()) backend.describe('the dispatcher', () => { ... })`. */
export function queueBackends(): readonly QueueBackend[] {
  const redisDescribe = redisAvailable() ? describe : describe.skip;
  return [
    {
      name: 'postgres',
      describe: (title, suite) => describe(`${title} (on postgres)`, suite),
      start: async () => null,
    },
    {
      name: 'redis',
      describe: (title, suite) => redisDescribe(`${title} (on redis)`, suite),
      start: () => testRedis(),
    },
  ];
}

/** A suite that needs Redis: skipped, and shown as skipped, on machines without one. */
export function describeWithRedis(title: string, suite: () => void): void {
  if (redisAvailable()) describe(title, suite);
  else describe.skip(title, suite);
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { TestRedis } from '@bullpen/testing/harness';
import { ended, storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled } from '../stack/workload.js';

export const redisRestarts = defineDrill({
  id: 'X4a',
  title: 'Redis restarts and has forgotten everything',
  forms: ['default', 'full'],
  backends: ['redis'],
  seconds: 60,
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(40, context.scale)));
    await storm(stack, context, 12 * context.scale, [1_000, 4_000], () => redisOf(stack).restart());
  },
});

export const redisFlushed = defineDrill({
  id: 'X4b',
  title: 'FLUSHALL with tasks in all states',
  forms: ['short', 'default', 'full'],
  backends: ['redis'],
  seconds: 60,
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(60, context.scale)));
    await storm(stack, context, 12 * context.scale, [500, 3_000], () => redisOf(stack).flush());
  },
});

export const redisAway = defineDrill({
  id: 'X4c',
  title: 'Redis is away while tasks end and others are submitted',
  forms: ['default', 'full'],
  backends: ['redis'],
  seconds: 90,
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(30, context.scale)));
    await ended(stack, 0.2);
    await redisOf(stack).kill();
    await stack.submitter.submitAll(mixed(scaled(10, context.scale), 'away'));
    await sleep(20_000 * Math.min(1, context.scale), undefined, { signal: context.signal });
    await redisOf(stack).restart();
  },
});

export const redisFull = defineDrill({
  id: 'X4d',
  title: 'Redis has no memory left and refuses every write',
  forms: ['default', 'full'],
  backends: ['redis'],
  seconds: 60,
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(30, context.scale)));
    await redisOf(stack).command('CONFIG SET maxmemory 1');
    await stack.submitter.submitAll(mixed(scaled(10, context.scale), 'full'));
    await sleep(8_000 * context.scale, undefined, { signal: context.signal });
    await redisOf(stack).command('CONFIG SET maxmemory 0');
  },
});

function redisOf({ redis }: Stack): TestRedis {
  if (redis === null) throw new Error('This drill needs Redis');
  return redis;
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillContext } from '../drill.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Stack, Ways } from '../stack/stack.js';
import type { Weather } from '../stack/tcp-proxy.js';
import { mixed, scaled } from '../stack/workload.js';

const WEATHERS: readonly Weather[] = [
  { kind: 'reset' },
  { kind: 'drop' },
  { kind: 'stall' },
  { kind: 'stall', only: 'down' },
  { kind: 'drop', only: 'up' },
  { kind: 'half_open' },
  { kind: 'cut_after', bytes: 2_000 },
  { kind: 'delay', ms: 200 },
  { kind: 'throttle', bytesPerSecond: 20_000 },
];

export const partitions = defineDrill({
  id: 'X6',
  title: 'a worker is cut off from Postgres, from Redis, from the model, also one way',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 150,
  stack: { proxied: true },
  expect: { uncertain: 200 },
  act: async (stack, context) => {
    const plans = mixed(scaled(50, context.scale));
    await Promise.all([stack.submitter.submitAll(plans, 1), storms(stack, context)]);
  },
});

async function storms(stack: Stack, context: DrillContext): Promise<void> {
  for (let round = 0; round < Math.max(3, 9 * context.scale); round += 1)
    await oneStorm(stack, context, round);
}

/** Longer than a lease, so that somebody takes over while the cut-off worker still lives. */
async function oneStorm(stack: Stack, context: DrillContext, round: number): Promise<void> {
  const at = Math.floor(context.random() * stack.workers.length);
  const weather = WEATHERS[Math.floor(context.random() * WEATHERS.length)] ?? { kind: 'reset' };
  const targets = (['database', 'model', 'redis'] as const).filter((name) => stack.way(at)[name] !== null);
  const target: keyof Ways = targets[round % targets.length] ?? 'database';
  context.log(`worker ${at}, ${target}: ${JSON.stringify(weather)}`);
  stack.way(at)[target]?.set(weather);
  await sleep(1_000 + context.random() * 4_000, undefined, { signal: context.signal });
  stack.way(at)[target]?.set({ kind: 'pass' });
}

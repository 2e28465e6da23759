import { ended, storm } from '../stack/chaos.js';
import type { DrillContext } from '../drill.js';
import { defineDrill } from '../stack/define-drill.js';
import type { Stack } from '../stack/stack.js';
import { mixed, scaled } from '../stack/workload.js';

export const allAtOnce = defineDrill({
  id: 'X22',
  title: 'everything at once, by a random schedule',
  forms: ['full'],
  backends: ['postgres', 'redis'],
  seconds: 200,
  stack: { durable: true },
  expect: { uncertain: 400, settleMs: 240_000, bystandersPoisoned: true },
  act: async (stack, context) => {
    const work = stack.submitter.submitAll(mixed(scaled(120, context.scale)), 2).then(() => ended(stack));
    let crashesLeft = 4; // Its owner gives up a Postgres that crashes more often than that in a minute.
    const doHarm = async (): Promise<void> => {
      const harm = harms(stack, context)[Math.floor(context.random() * 6)];
      if (harm === 'crash' && crashesLeft-- > 0) await stack.database.crash();
      else if (harm !== 'crash') await harm?.();
    };
    const trouble = storm(stack, context, 45 * context.scale, [300, 3_000], doHarm, work);
    await Promise.all([work, trouble.then(() => stack.heal())]);
  },
});

function harms(stack: Stack, { random }: DrillContext): readonly ('crash' | (() => Promise<unknown>))[] {
  return [
    'crash',
    () => stack.anyWorker().replace(),
    () => stack.gateway.replace(),
    () => stack.database.terminateBackends(0.2),
    async () => (random() < 0.5 ? stack.redis?.flush() : stack.redis?.restart()),
    async () => {
      const worker = stack.anyWorker();
      worker.freeze();
      await stack.pause(1_000 + random() * 4_000);
      worker.thaw();
    },
  ];
}

import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled, tree } from '../stack/workload.js';

export const cancelStorm = defineDrill({
  id: 'X16',
  title: 'cancels race with spawns, waits, commands and ends',
  forms: ['default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  expect: {
    // A cancelled answer is billed and thrown away.
    uncertain: 200,
    end: ({ plan }) => (plan.key.startsWith('c') ? ['completed', 'cancelled'] : ['completed']),
  },
  act: async (stack, context) => {
    const count = scaled(30, context.scale, 8);
    const doomed = [...mixed(count, 'c'), ...Array.from({ length: count }, (_, at) => tree(`ct${at}`))];
    const others = stack.submitter.submitAll(mixed(8, 'k'));
    const cancels = doomed.map(async (plan) => {
      const { id } = await stack.submitter.submit(plan);
      await stack.pause(context.random() * 12_000 * Math.min(1, context.scale * 2));
      // Several at once, as impatient people do.
      await Promise.all([stack.submitter.cancel(id), stack.submitter.cancel(id)]);
    });
    await Promise.all([others, ...cancels]);
  },
});

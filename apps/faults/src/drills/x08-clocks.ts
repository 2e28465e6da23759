import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { clockOffBy } from '../stack/preload/index.js';
import { mixed, scaled } from '../stack/workload.js';

const HOUR_MS = 3_600_000;

export const wrongClocks = defineDrill({
  id: 'X8',
  title: "one worker's clock is an hour ahead, another's an hour behind",
  forms: ['default', 'full'],
  backends: ['redis'],
  seconds: 60,
  stack: { workerArgs: (at) => clockOffBy([HOUR_MS, -HOUR_MS, 0][at] ?? 0) },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(40, context.scale)));
    // Work has to move between the clocks, too.
    await storm(stack, context, 8 * context.scale, [1_000, 3_000], () => stack.anyWorker().replace());
  },
});

import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled } from '../stack/workload.js';

export const killWorkers = defineDrill({
  id: 'X2',
  title: 'kill -9 of a random worker every 0.3 to 2 s',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 90,
  expect: { bystandersPoisoned: true },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(60, context.scale)));
    // A worker needs a second to start: often more than one is down.
    await storm(stack, context, 20 * context.scale, [300, 2_000], () => stack.strike());
  },
});

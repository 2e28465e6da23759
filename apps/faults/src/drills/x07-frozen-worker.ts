import { setTimeout as sleep } from 'node:timers/promises';
import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { blockable } from '../stack/preload/index.js';
import { mixed, scaled } from '../stack/workload.js';

export const frozenWorker = defineDrill({
  id: 'X7',
  title: 'a worker is frozen past its leases and wakes up as a zombie; another blocks its event loop',
  forms: ['short', 'default', 'full'],
  backends: ['postgres', 'redis'],
  seconds: 60,
  stack: { workerArgs: (at) => (at === 2 ? blockable(5_000) : []) },
  // Each time that a worker sleeps, others ask for what it had asked for.
  expect: { uncertain: 100 },
  act: async (stack, context) => {
    await stack.submitter.submitAll(mixed(scaled(50, context.scale)));
    let turn = 0;
    await storm(stack, context, 20 * context.scale, [300, 1_500], async () => {
      const worker = stack.worker(turn++ % 3);
      if (worker === stack.worker(2)) return worker.sendSignal('SIGUSR2');
      worker.freeze();
      // Leases last 3 s, and whoever took over has begun by then.
      await sleep(3_500 + context.random() * 2_500, undefined, { signal: context.signal });
      worker.thaw();
    });
  },
});

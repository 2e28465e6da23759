import { storm } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { smallHeap } from '../stack/preload/index.js';
import { mixed, scaled } from '../stack/workload.js';

/** More than the command may have; the shell's own limit stops it before it hurts the machine. */
const HUNGRY = {
  key: 'hungry',
  steps: [
    { do: 'command', command: 'ulimit -v 200000; head -c 1000000000 /dev/zero | tail -c 900000000 | wc -c' },
    { do: 'effect' },
  ],
} as const;

export const outOfMemory = defineDrill({
  id: 'X14',
  title: 'a worker runs into its heap limit, and a command eats all the memory that it may have',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 90,
  stack: { workerArgs: (at) => (at === 0 ? smallHeap(160) : []) },
  expect: { uncertain: 100, crashes: /^worker 0 / },
  act: async (stack, context) => {
    await stack.submitter.submitAll([HUNGRY, ...mixed(scaled(30, context.scale))]);
    await storm(stack, context, Math.max(9, 15 * context.scale), [2_000, 4_000], async () => {
      await stack.worker(0).settled();
      stack.worker(0).sendSignal('SIGWINCH');
    });
    return stack.crashes.length > 0 ? [] : ['no worker ran out of memory'];
  },
});

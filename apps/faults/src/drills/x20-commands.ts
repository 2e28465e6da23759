import { waitFor } from '@bullpen/testing/harness';
import { ended } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { commandsIn, orphansIn } from '../stack/orphans.js';
import type { Plan } from '../stack/plan.js';
import { mixed } from '../stack/workload.js';

const command = (key: string, text: string, timeoutMs?: number): Plan => ({
  key,
  steps: [{ do: 'command', command: text, ...(timeoutMs !== undefined && { timeoutMs }) }, { do: 'effect' }],
});

const COMMANDS: readonly Plan[] = [
  command('background', 'sleep 300 & (sleep 300 &) ; echo started'),
  command('server', 'while :; do sleep 1; done & disown; echo serving'),
  command('nohup', 'nohup sleep 300 >/dev/null 2>&1 & echo left'),
  command('flood', 'yes flood | head -c 50000000'),
  command('stubborn', "trap '' TERM; while :; do sleep 0.1; done", 1_000),
  command('fork', 'for i in $(seq 1 200); do sleep 300 & done; echo forked'),
  command('fifo', 'mkfifo pipe; cat pipe', 1_000),
];

/** Longer than the drill: when their workers die, somebody else has to end them. */
const LONG: readonly Plan[] = [
  command('orphan-mild', 'sleep 600; : orphan-mild', 600_000),
  command('orphan-stubborn', "trap '' TERM; while :; do sleep 0.1; done; : orphan-stubborn", 600_000),
];

export const commands = defineDrill({
  id: 'X20',
  title: 'commands leave servers behind, fork, flood, hang and do not want to die; their workers are killed',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  expect: { uncertain: 0 },
  act: async (stack) => {
    await stack.submitter.submitAll([...COMMANDS, ...mixed(4)]);
    await ended(stack);
    await stack.submitter.submitAll(LONG);
    const running = () => LONG.every(({ key }) => commandsIn(stack.home).some((line) => line.includes(key)));
    await waitFor(running, { what: 'the long commands to run' });
    const workers = [0, 1, 2].map((at) => stack.worker(at));
    await Promise.all(workers.map((worker) => worker.kill()));
    const left = await orphansIn(stack.home);
    if (left.length > 0) throw new Error(`commands outlived their workers: ${left.join('\n')}`);
    await Promise.all(workers.map((worker) => worker.start()));
  },
});

import { defineDrill } from '../stack/define-drill.js';
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

export const commands = defineDrill({
  id: 'X20',
  title: 'commands leave servers behind, fork, flood, hang and do not want to die',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  expect: { uncertain: 0 },
  act: async (stack) => {
    await stack.submitter.submitAll([...COMMANDS, ...mixed(4)]);
  },
});

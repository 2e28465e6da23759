import { defineDrill } from '../stack/define-drill.js';
import type { Plan } from '../stack/plan.js';
import { mixed } from '../stack/workload.js';

const search = (n: number) => ({ name: 'search_files', input: { pattern: `nothing-${n}` } });

const ODD: readonly Plan[] = [
  {
    key: 'unknown',
    steps: [{ do: 'calls', calls: [{ name: 'fly', input: { to: 'the moon' } }] }, { do: 'effect' }],
  },
  {
    key: 'arguments',
    steps: [{ do: 'calls', calls: [{ name: 'write_file', input: { where: 1 } }] }, { do: 'effect' }],
  },
  {
    key: 'many',
    steps: [{ do: 'calls', calls: Array.from({ length: 200 }, (_, n) => search(n)) }, { do: 'effect' }],
  },
  { key: 'circles', steps: [{ do: 'circles' }] },
  { key: 'long', steps: [{ do: 'effect' }], chars: 50_000 },
  {
    key: 'flood',
    steps: [{ do: 'command', command: "head -c 20000000 /dev/zero | tr '\\0' x" }, { do: 'effect' }],
  },
  {
    key: 'outside',
    steps: [
      { do: 'calls', calls: [{ name: 'read_file', input: { path: '/etc/shadow' } }] },
      { do: 'effect' },
    ],
  },
];

export const oddAnswers = defineDrill({
  id: 'X12',
  title:
    'the model asks for tools that are not there, for 200 at once, for the same for ever, and writes without end',
  forms: ['default', 'full'],
  backends: ['postgres'],
  seconds: 60,
  expect: { uncertain: 0, end: ({ plan }) => (plan.key === 'circles' ? ['failed'] : ['completed']) },
  act: async (stack) => {
    await stack.submitter.submitAll([...ODD, ...mixed(4)]);
  },
});

import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended } from '../stack/chaos.js';
import { defineDrill } from '../stack/define-drill.js';
import { mixed, scaled } from '../stack/workload.js';

const FILL = { do: 'command', command: 'head -c 20000000 /dev/zero > big; echo $?' } as const;

export const diskFull = defineDrill({
  id: 'X13',
  title: 'the disk of the workspaces is full: tasks are told, and later ones work again',
  forms: ['full'],
  backends: ['postgres'],
  seconds: 60,
  impossible: () => (canMount() ? null : 'a small file system cannot be mounted here (that needs root)'),
  expect: {
    uncertain: 0,
    end: ({ plan }) => (plan.key.startsWith('full') ? ['completed', 'failed'] : ['completed']),
  },
  act: async (stack, context) => {
    const place = join(stack.home, 'workspaces');
    await mkdir(place, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m,mode=755', 'none', place]);
    try {
      const plans = mixed(scaled(16, context.scale), 'full').map((plan) => ({
        ...plan,
        steps: [FILL, ...plan.steps],
      }));
      await stack.submitter.submitAll(plans);
      await ended(stack);
    } finally {
      execFileSync('umount', ['-l', place]);
    }
    await stack.submitter.submitAll(mixed(4));
  },
});

function canMount(): boolean {
  const place = mkdtempSync(join(tmpdir(), 'bullpen-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', place], { stdio: 'ignore' });
    execFileSync('umount', [place], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // No right to, or no such program: which is what was asked.
  } finally {
    rmdirSync(place);
  }
}

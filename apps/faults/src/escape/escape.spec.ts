/** That the suite sees what gets through; `npm run test:escape`, which CI runs, tries all attacks on what should hold them. */
import { describe, expect, it } from '@jest/globals';
import { chosen } from '../wire/options.js';
import { probes } from './probes/index.js';
import type { Outcome } from './run-attacks.js';
import { runAll } from './runner.js';

async function attackUnboxed(names: readonly string[]) {
  const outcomes: Outcome[] = [];
  const onOutcome = (outcome: Outcome) => void outcomes.push(outcome);
  const summary = await runAll(chosen(probes, names), { user: null, unboxed: true, onOutcome });
  return { outcomes, level: summary.level };
}

describe('the escape suite', () => {
  it('notices what gets through where nothing holds a command', async () => {
    const { outcomes, level } = await attackUnboxed([
      'probe-tcp-machine',
      'probe-hidden-read',
      'probe-setsid',
    ]);
    expect(level).toBe('none');
    const harmsOf = (name: string) =>
      outcomes.flatMap((outcome) => (outcome.name === name ? outcome.found.map(({ harm }) => harm) : []));
    expect(harmsOf('probe-tcp-machine')).toContain('network');
    expect(harmsOf('probe-hidden-read')).toContain('secret');
    expect(harmsOf('probe-setsid')).toContain('leftover');
  });
});

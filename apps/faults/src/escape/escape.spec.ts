/** A few of the attacks of each kind; `npm run test:escape` tries them all. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { chosen } from '../wire/options.js';
import { inputs } from './inputs/index.js';
import { probes } from './probes/index.js';
import type { Outcome } from './run-attacks.js';
import { runAll } from './runner.js';

const INPUTS = [
  'path-dotdot-neighbour',
  'path-own-environment',
  'link-to-folder',
  'link-missing-target',
  'judge-index-pipe',
  'copy-link-to-file',
  'race-read',
  'race-search',
  'race-copy',
  'race-pipe-hiding',
];
const PROBES = [
  'tar-two-links',
  'probe-environ-all',
  'probe-homes',
  'probe-user-namespace',
  'probe-tcp-machine',
  'probe-unix-sockets',
  'probe-setsid',
  'probe-hidden-read',
];
const hasBox = existsSync('/usr/bin/bwrap') || process.env['REQUIRE_SANDBOX'] === '1';

async function attack(names: readonly string[], unboxed: boolean) {
  const outcomes: Outcome[] = [];
  const onOutcome = (outcome: Outcome) => void outcomes.push(outcome);
  const summary = await runAll(chosen([...inputs, ...probes], names), { user: null, unboxed, onOutcome });
  return { outcomes, level: summary.level };
}

describe('the escape suite', () => {
  it('finds no way out by files', async () => {
    const { outcomes } = await attack(INPUTS, true);
    expect(outcomes.filter(({ found }) => found.length > 0)).toEqual([]);
    expect(outcomes).toHaveLength(INPUTS.length);
  }, 90_000);

  (hasBox ? it : it.skip)(
    'finds no way out of the sandbox',
    async () => {
      const { outcomes, level } = await attack(PROBES, false);
      expect(level).toBe('bubblewrap');
      expect(outcomes.filter(({ found }) => found.length > 0)).toEqual([]);
      expect(outcomes).toHaveLength(PROBES.length);
    },
    90_000,
  );

  it('notices what gets through where nothing holds a command', async () => {
    const { outcomes, level } = await attack(
      ['probe-tcp-machine', 'probe-hidden-read', 'probe-setsid'],
      true,
    );
    expect(level).toBe('none');
    const harmsOf = (name: string) =>
      outcomes.flatMap((outcome) => (outcome.name === name ? outcome.found.map(({ harm }) => harm) : []));
    expect(harmsOf('probe-tcp-machine')).toContain('network');
    expect(harmsOf('probe-hidden-read')).toContain('secret');
    expect(harmsOf('probe-setsid')).toContain('leftover');
  }, 90_000);
});

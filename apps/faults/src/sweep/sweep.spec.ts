import { describe, expect, it } from '@jest/globals';
import type { TaskStore } from '@bullpen/core';
import { emptyStep } from '@bullpen/core';
import { modesWorld, sweepEveryPlace } from './exhaustive.js';
import { MemoryBackend } from './memory-backend.js';
import { runSeed, type OpenBackend } from './run-seed.js';
import { sweep } from './sweep.js';

const never = new AbortController().signal;
const few = { seed: 1, seeds: 40, seconds: 60, maxFailures: 1, signal: never };

/** The memory store with something changed in how it commits. */
function flawed(change: (store: TaskStore) => TaskStore['commit']): OpenBackend {
  class Flawed extends MemoryBackend {
    override storeOf() {
      const store = super.storeOf();
      return { ...store, commit: change(store) };
    }
  }
  return (tell) => new Flawed(tell);
}

describe('the sweep', () => {
  it('gives the same world, step for step, for the same seed', async () => {
    for (const seed of [2, 29, 101]) {
      const [first, second] = [await runSeed(seed, { traced: true }), await runSeed(seed, { traced: true })];
      expect(first.trace.length).toBeGreaterThan(20);
      expect(second).toEqual(first);
    }
    expect((await runSeed(3, { traced: true })).trace).not.toEqual(
      (await runSeed(2, { traced: true })).trace,
    );
  });

  it('finds nothing in the product, with faults in most worlds', async () => {
    const report = await sweep({ ...few, maxFailures: 5 });
    expect(report.failures.map(({ seed, violations }) => [seed, violations])).toEqual([]);
    expect(report.seeds).toBe(few.seeds);
    expect(report.faults).toBeGreaterThan(few.seeds / 2);
    expect(report.waitsForSubtasks).toBeGreaterThan(few.seeds / 4);
  });

  it('finds nothing at any single place of a fault', async () => {
    const results = await sweepEveryPlace(1, never, ['text only', 'effects']);
    expect(results.flatMap(({ failures }) => failures.map(({ at }) => at))).toEqual([]);
    expect(results.map(({ worlds }) => worlds > 30)).toEqual([true, true]);
  });

  it('notices a step that is acknowledged and not stored', async () => {
    let commits = 0;
    const open = flawed((store) => async (lease, step) => {
      commits += 1;
      const hollow = { ...emptyStep(), patch: step.patch, end: step.end };
      return store.commit(lease, commits % 7 === 0 ? hollow : step);
    });
    const { failures } = await sweep({ ...few, open });
    expect(failures[0]?.violations.length).toBeGreaterThan(0);
  });

  it('notices a trigger that the store forgot', async () => {
    const open = flawed((store) => (lease, step) => store.commit(lease, { ...step, transition: null }));
    expect((await runSeed(1, { plan: modesWorld() })).violations).toEqual([]);
    expect((await runSeed(1, { plan: modesWorld(), open })).violations.length).toBeGreaterThan(0);
  });

  it('notices a start that the store forgot, by the effect that happens twice', async () => {
    const open = flawed((store) => (lease, step) => {
      const toolCalls = step.toolCalls.map((call) =>
        call.status === 'calling' ? { ...call, status: 'generated' as const } : call,
      );
      return store.commit(lease, { ...step, toolCalls });
    });
    const { failures } = await sweep({ ...few, open });
    expect(failures[0]?.violations.map(({ kind }) => kind)).toContain('doubled');
  });

  it('notices money that stays reserved', async () => {
    const open = flawed((store) => (lease, step) => store.commit(lease, { ...step, releaseNanoUsd: 0n }));
    const { failures } = await sweep({ ...few, maxFailures: 1, open });
    const texts = failures.flatMap(({ violations }) => violations.map(({ text }) => text));
    expect(texts).toContainEqual(expect.stringContaining('stay reserved'));
    // Such a world waits for its money for the whole of its long life.
  });
});

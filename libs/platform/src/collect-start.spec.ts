import { getHeapSpaceStatistics } from 'node:v8';
import { expect, it } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import { collectStart } from './collect-start.js';

it('frees what is of no use any more, without being asked again', async () => {
  await collected();
});

it('moves together what is left, also where most of a page is in use', async () => {
  const all = Array.from({ length: 400_000 }, (_, i) => ({ i, row: [i, i, i, i, i, i, i, i] }));
  await collected(); // They are old now, and side by side.
  const unusedBefore = unusedMiB(); // Of whatever else this process has, which may be a lot.
  const kept = all.filter(({ i }) => i % 4 !== 0);
  all.length = 0;
  await collected();
  expect(unusedMiB()).toBeLessThan(unusedBefore + 5);
  expect(kept).toHaveLength(300_000);
});

it('does not stop a process that is at work', async () => {
  let isBusy = true;
  let turns = 0;
  const work = (): void => {
    turns += 1;
    if (isBusy) setImmediate(work);
  };
  work();
  let collections = 0;
  collectStart(5, () => void (collections += 1));
  await waitFor(() => turns > 200_000, { what: 'a while of work' });
  expect(collections).toBe(0);
  isBusy = false;
  await waitFor(() => collections === 2, { what: 'both collections' });
});

/** Resolves when a collection that was asked for now is done. */
async function collected(): Promise<void> {
  const gone = new WeakRef({ of: 'the start' });
  // A reference lives until the end of the turn that looked at it.
  collectStart(1);
  await waitFor(() => gone.deref() === undefined, { what: 'the collection' });
}

/** Of the pages of the old space, what no object is on, in MiB. */
function unusedMiB(): number {
  const old = getHeapSpaceStatistics().find((space) => space.space_name === 'old_space');
  return old === undefined ? NaN : (old.space_size - old.space_used_size) / 2 ** 20;
}

/** When what waits is shown in the queue, and when that is left out. */
import { expect, it } from '@jest/globals';
import type { LaterWake } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { delayedJobs } from './delayed-jobs.js';

const aWake = (dueInMs = 60_000): LaterWake => ({ taskId: newId('task'), wake: 1, dueInMs });

/** A job over a list that the test changes, and what the queue was told. */
function under() {
  const now: { wakes: LaterWake[] } = { wakes: [] };
  const told: (readonly LaterWake[])[] = [];
  const job = delayedJobs(() => Promise.resolve(now.wakes), {
    showDelayed: (wakes) => Promise.resolve(void told.push(wakes)),
  });
  const look = async (times: number): Promise<number> => {
    const before = told.length;
    for (let n = 0; n < times; n += 1) await job.run();
    return told.length - before;
  };
  return { now, told, job, look };
}

it('tells the queue of every change at once, and of what stays the same at each fifth look', async () => {
  const { now, told, look } = under();
  const [first, second] = [aWake(), aWake()];
  now.wakes = [first];
  expect(await look(1)).toBe(1);
  now.wakes = [first, second];
  expect(await look(1)).toBe(1);
  now.wakes = [
    { ...first, dueInMs: 1_000 },
    { ...second, dueInMs: 2_000 },
  ];
  expect(await look(4)).toBe(0);
  expect(await look(1)).toBe(1);
  now.wakes = [{ ...second, wake: 2 }];
  expect(await look(1)).toBe(1);
  expect(told.at(-1)).toEqual(now.wakes);
});

it('looks only when it is asked after there was nothing for a while', async () => {
  const { now, told, job, look } = under();
  now.wakes = [aWake()];
  await look(30);
  expect(job.whenAsked).toBe(false);
  now.wakes = [];
  expect(await look(1)).toBe(1);
  expect(told.at(-1)).toEqual([]);
  expect(job.whenAsked).toBe(false);
  await look(20);
  expect(job.whenAsked).toBe(true);
  now.wakes = [aWake()];
  expect(await look(1)).toBe(1);
  expect(job.whenAsked).toBe(false);
});

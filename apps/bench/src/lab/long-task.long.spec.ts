/** The shorter form of the figure `long-task`: gateway, workers and Postgres are real, only the model is a simulator. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openLab, type Lab } from './lab.js';
import { playLongTask } from './long-task.js';

let lab: Lab;
beforeAll(async () => {
  lab = await openLab({ quick: true, backend: 'postgres', say: () => undefined });
});
afterAll(() => lab.close());

it('a task that outgrows its window several times completes and knows what it was told at the start; a kill during a summary makes nothing be paid or done twice', async () => {
  const end = await playLongTask(lab, { turns: 120, window: 6_000, killAtSummary: 2 });
  expect(end).toMatchObject({ state: 'completed', failure: null, readTwice: 0, refusedAsTooLong: 0 });
  expect(end.output).toContain('4711-ZEBRA');
  expect(end.largestPrompt).toBeLessThan(6_000);
  expect(end.masked).toBeGreaterThan(0);
  expect(end.condensed).toBeGreaterThan(1);
  // The one that the killed worker had asked for.
  expect(end.summariesAsked).toBe(end.condensed + 1);
}, 300_000);

it('a task whose window holds it all is not made shorter', async () => {
  const end = await playLongTask(lab, { turns: 60, window: 200_000, killAtSummary: null });
  expect(end).toMatchObject({ state: 'completed', condensed: 0, masked: 0, truncated: 0, summariesAsked: 0 });
}, 300_000);

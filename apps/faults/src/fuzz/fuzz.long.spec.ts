/** A few hundred odd requests; `npm run test:fuzz` sends many more. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { assertNoProcessLeft } from '@bullpen/testing';
import { removeTemplate } from '../stack/database.js';
import { FuzzStack } from './fuzz-stack.js';
import { fuzz } from './fuzz.js';

const { signal } = new AbortController();
let stack: FuzzStack;

beforeAll(async () => {
  stack = await FuzzStack.start(signal);
});
afterAll(async () => {
  await stack?.stop();
  await removeTemplate();
  await assertNoProcessLeft();
});

it('whatever is sent is answered in time, and what is refused by a problem document that names the fault', async () => {
  const report = await fuzz(stack, {
    seed: 20_261_128,
    requests: 800,
    only: null,
    told: () => undefined,
    signal,
  });
  expect(report).toMatchObject({ requests: 800, fiveHundreds: 0, hung: 0, failures: [] });
  // It has looked at more than the way to the first refusal.
  expect(report.statuses).toMatchObject({
    200: expect.any(Number),
    201: expect.any(Number),
    409: expect.any(Number),
  });
});

/** Cases in which other systems went wrong, and that no other spec of the loop tells by itself (docs/bug-cases.md). */
import { describe, expect, it } from '@jest/globals';
import { World } from '../test/loop-world.js';

describe('an empty answer', () => {
  it('ends its turn: the request after it is the first call of the next one, as it is after a crash', async () => {
    const world = new World();
    const task = world.submit({}, { text: '' }, { text: 'Here.' });
    await world.drain();
    world.model.assertDone();
    expect([...task.modelCalls.values()].map(({ turn, attempt }) => [turn, attempt])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(task.outcome?.output).toBe('Here.');
  });
});

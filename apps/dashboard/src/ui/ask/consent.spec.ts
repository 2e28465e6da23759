import { describe, expect, it } from '@jest/globals';
import { Sight } from './consent.js';

const ask = { id: 'ask_1', hash: 'a' };

describe('an answer', () => {
  it('counts only once what it answers was shown for 400 ms', () => {
    const sight = new Sight();
    expect(sight.hasSeen(ask, 0)).toBe(false);
    sight.show(ask, 1_000);
    expect([1_399, 1_400].map((now) => sight.hasSeen(ask, now))).toEqual([false, true]);
  });

  it('does not count for what took its place, nor for what it asks by now', () => {
    const sight = new Sight();
    sight.show(ask, 0);
    sight.show({ id: 'ask_2', hash: 'b' }, 1_000);
    expect(sight.hasSeen(ask, 2_000)).toBe(false);
    expect(sight.hasSeen({ id: 'ask_2', hash: 'c' }, 2_000)).toBe(false);
    expect(sight.hasSeen({ id: 'ask_2', hash: 'b' }, 1_200)).toBe(false);
  });

  it('is not put off by drawing the same again', () => {
    const sight = new Sight();
    sight.show(ask, 0);
    sight.show({ ...ask }, 300);
    expect(sight.hasSeen(ask, 400)).toBe(true);
  });
});

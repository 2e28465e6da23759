import { describe, expect, it } from '@jest/globals';
import { pathOf } from './path.js';

describe('the way of a task on the map', () => {
  it('numbers the steps by the modes and lines that they led along, and counts what was refused where', () => {
    const path = pathOf(
      [
        { from: 'idle', to: 'implementation' },
        { from: 'implementation', to: null },
        { from: 'implementation', to: 'test' },
        { from: 'test', to: 'implementation' },
        { from: 'implementation', to: 'test' },
        { from: 'test', to: null },
        { from: 'test', to: null },
      ],
      'test',
    );
    expect([...path.steps]).toEqual([
      ['implementation', [1, 3]],
      ['test', [2, 4]],
    ]);
    expect([...path.taken]).toEqual(['idle implementation', 'implementation test', 'test implementation']);
    expect([...path.refused]).toEqual([
      ['implementation', 1],
      ['test', 2],
    ]);
    expect(path.current).toBe('test');
  });
});

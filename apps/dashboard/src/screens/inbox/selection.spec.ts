import { describe, expect, it } from '@jest/globals';
import { neighbour, rangeTo } from './selection.js';

const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }));

describe('moving through the inbox', () => {
  it('stops at both ends, and begins at the first row', () => {
    expect(['a', 'd', undefined].map((id) => neighbour(rows, id, 1)?.id)).toEqual(['b', 'd', 'a']);
    expect(neighbour(rows, 'a', -1)?.id).toBe('a');
    expect(neighbour([], 'a', 1)).toBeUndefined();
  });

  it('takes in what lies between, in either direction', () => {
    expect(rangeTo(rows, [], 'b', 'c')).toEqual(['b', 'c']);
    expect(rangeTo(rows, ['d'], 'c', 'b')).toEqual(['d', 'b', 'c']);
  });
});

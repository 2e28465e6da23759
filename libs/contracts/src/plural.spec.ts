import { describe, expect, it } from '@jest/globals';
import { nounFor, plural } from './plural.js';

describe('a count', () => {
  it('has its noun in the singular for one and nothing else', () => {
    expect([0, 1, 2].map((count) => plural(count, 'line'))).toEqual(['0 lines', '1 line', '2 lines']);
    expect([1, 2].map((count) => plural(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
    expect(`12.3k ${nounFor(12_300, 'line')}`).toBe('12.3k lines');
  });
});

import { expect, it } from '@jest/globals';
import { wholeChars } from './whole-chars.js';

it('the beginning of a text ends between two characters', () => {
  expect(wholeChars('a👍b', 2)).toBe('a');
  expect(wholeChars('a👍b', 3)).toBe('a👍');
});

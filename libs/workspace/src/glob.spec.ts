import { describe, expect, it } from '@jest/globals';
import { compileGlob, expandBraces, globMatches } from './glob.js';

describe('a glob', () => {
  it.each([
    ['*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/x/a.ts', false],
    ['src/**/*.ts', 'src/x/y/a.ts', true],
    ['src/**/*.ts', 'src/a.ts', true],
    ['**/a.ts', 'a.ts', true],
    ['src/**', 'src', false],
    ['/a.ts', 'src/a.ts', false],
    ['[[:digit:]]?', '1x', true],
    ['[]a]', ']', true],
    ['[a', '[a', false],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['?', '👍', true],
  ])('%s against %s', (pattern, candidate, expected) => {
    expect(globMatches(compileGlob(pattern), candidate.split('/'))).toBe(expected);
  });

  it('expands braces, nested ones too, and never more than the limit', () => {
    expect(expandBraces('*.{ts,{c,m}js}')).toEqual(['*.ts', '*.cjs', '*.mjs']);
    expect(expandBraces('a{b')).toEqual(['a{b']);
    expect(expandBraces('{a,b}'.repeat(40), 100)).toHaveLength(100);
  });
});

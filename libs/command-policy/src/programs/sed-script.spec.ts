import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { unsafeSed } from './sed-script.js';

/** GNU sed refuses scripts that run commands or touch files when it is told to, before it reads anything. */
function sedRefuses(scripts: readonly string[]): string[] {
  const check =
    'for s; do out=$(sed --sandbox -n -- "$s" /dev/null 2>&1); case $out in *sandbox*) printf "%s\\0" "$s";; esac; done';
  const { stdout, error } = spawnSync('bash', ['-c', check, 'check', ...scripts], { encoding: 'utf8' });
  expect(error).toBeUndefined();
  return stdout.split('\0').slice(0, -1);
}

const PIECES = [
  'p',
  'd',
  'e',
  'e pwn',
  'w x',
  'r x',
  'R x',
  'W x',
  's/a/b/',
  's/a/b/e',
  's/a/b/w x',
  's|a|b|g',
  '/a/',
  '1',
  '$',
  ',',
  '1,3',
  '!',
  '{',
  '}',
  ';',
  '\n',
  ' ',
  '\\',
  'a x',
  'i\\',
  'c y',
  'y/a/b/',
  ':l',
  'b l',
  't',
  '#',
  'q',
  'q 5',
  'l 3',
  '[',
  ']',
  '/',
  '=',
  'n',
  's,[,],x,',
  '\\n',
  '^',
  's/\\//e/',
  'F',
  'v',
  'z',
  'M',
  'I',
  '0~2',
  '+1',
];

describe('a sed script', () => {
  it('that counts as safe is one that sed runs in its sandbox mode', () => {
    const scripts = fc.sample(
      fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((list) => list.join('')),
      { numRuns: 30_000, seed: 3 },
    );
    const safe = [...new Set(scripts)]
      .filter((script) => unsafeSed(script) === null && /[ewrRW]/.test(script))
      .slice(0, 200);
    expect(safe.length).toBeGreaterThan(100);
    expect(sedRefuses(safe)).toEqual([]);
    expect(sedRefuses(['e pwn', 's/a/b/w x', 'p'])).toEqual(['e pwn', 's/a/b/w x']);
  });

  it('is safe when it prints, deletes or replaces', () => {
    for (const script of [
      '1,40p',
      's/a/b/g',
      '/^$/d',
      '10p;20p',
      's|a|b|;s,c,d,2g',
      '/a/,/b/{s/x/y/;p}',
      '$!N;P;D',
      ':a;N;$!ba;s/\\n/ /g',
      'y/abc/xyz/',
      '/[[:space:]]$/d',
      's/[^/]*$//',
      's/[/]/x/',
      's|[^|]*||;p',
      '1i // text',
      '0~2d',
      '/x/I!d',
      'n;d',
      '#c\np',
    ]) {
      expect([script, unsafeSed(script)]).toEqual([script, null]);
    }
  });

  it('is named by the part that may do more', () => {
    expect(unsafeSed('p;e pwn')).toBe('e pwn');
    expect(unsafeSed('s/a/b/;s/a/b/w x')).toBe('s/a/b/w x');
  });
});

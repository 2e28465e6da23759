import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assign, resolve, unquote } from './words.js';

/** What bash makes of words. */
function bashWords(texts: readonly string[]): string[] {
  const script = texts.map((text) => `printf '%s\\0' ${text}\n`).join('');
  const { stdout, status } = spawnSync('bash', ['--noprofile', '--norc', '-f', '-c', script], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  return stdout.split('\0').slice(0, -1);
}

describe('the value of a word', () => {
  it('is what bash makes of it, whenever it is known before', () => {
    const pieces = [
      'a',
      'b c',
      '-',
      '=',
      '~',
      '!',
      '{',
      '}',
      ',',
      '\\ ',
      "\\'",
      '\\"',
      '\\\\',
      '\\$',
      "'x y'",
      "'\\'",
      "'$(a)'",
      '"x y"',
      '"\\""',
      '"\\a"',
      '"\\$x"',
      '"a$"',
      '"\\\n"',
      '/',
      '.',
      '%',
      '@',
      '+',
      ':',
      '^',
      '#',
      '\\#',
      '\\~',
      '\\{',
    ];
    const words = fc.sample(
      fc
        .array(fc.constantFrom(...pieces.filter((piece) => piece !== 'b c')), { minLength: 1, maxLength: 6 })
        .map((list) => list.join('')),
      { numRuns: 3_000, seed: 5 },
    );
    const known = words.filter(
      (word) => !word.startsWith('#') && unquote(word).kind === 'literal' && unquote(word).trouble === null,
    );
    expect(known.length).toBeGreaterThan(500);
    expect(known.map((word) => unquote(word).value)).toEqual(bashWords(known));
  });

  it('is not known where something expands, runs, or hides', () => {
    for (const word of [
      '$x',
      '"$x"',
      '$(a)',
      '`a`',
      '"`a`"',
      "$'a'",
      '$"a"',
      '${a}',
      '$((1))',
      '{a,b}',
      '{1..3}',
      '~',
      '~x',
      'a=~',
      '!x',
      '<(a)',
      '@(a)',
      'é',
      'a\u00a0b',
      "'a",
      'a\\',
      '"$(a)"',
      '"${x@P}"',
    ]) {
      expect([word, unquote(word).trouble === null]).toEqual([word, false]);
    }
  });

  it('may be a pattern', () => {
    expect(unquote('*.ts')).toMatchObject({ kind: 'glob', trouble: null });
    expect(unquote('"*.ts"')).toMatchObject({ kind: 'literal', value: '*.ts' });
    expect(unquote('HEAD@{1}')).toMatchObject({ kind: 'literal', value: 'HEAD@{1}' });
    expect(unquote('[')).toMatchObject({ kind: 'literal' });
  });

  it('is that of the variables in it, when the line has set them once, to plain text', () => {
    const variables = new Map<string, string | null>();
    assign(variables, 'a', 'build');
    assign(variables, 'b', "'two words'");
    assign(variables, 'c', '"$(mktemp -d)"');
    assign(variables, 'd', 'one');
    assign(variables, 'd', 'other');
    expect(['$a', '"${a}/x"', 'p/$a', '$c'].map((text) => resolve(text, variables))).toEqual([
      'build',
      'build/x',
      'p/build',
      '/tmp/made',
    ]);
    for (const text of ['$b', '$d', '$e', '${a:-x}', '$a*', '$(a)'])
      expect([text, resolve(text, variables)]).toEqual([text, null]);
    assign(variables, 'IFS', 'i');
    expect([resolve('$a', variables), resolve('"$a"', variables)]).toEqual([null, 'build']);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { Arg } from '../words.js';
import { flagTable } from './flag-table.js';
import { readArgs } from './read-args.js';
import type { ProgramSchema } from './program-schema.js';

const args = (...values: string[]): Arg[] =>
  values.map((value) => ({
    kind: /[*?]/.test(value) ? 'glob' : 'literal',
    value,
    span: { start: 0, end: 0, text: value },
    quoted: false,
    trouble: null,
  }));

function read(schema: ProgramSchema, ...values: string[]) {
  const { flags, operands, findings } = readArgs(args(...values), schema);
  return {
    flags: flags.map(({ flag, value }) => [flag.name, value]),
    operands: operands.map(({ value }) => value),
    rules: findings.map(({ rule }) => rule),
  };
}

const SORT: ProgramSchema = {
  flags: flagTable('-r -n -k:word -i[suffix] --color[=word] --key=word --all'),
  refused: flagTable('--compress-program=text -T'),
};

describe('the notation of flags', () => {
  it('tells flags without, with, and with an optional value apart', () => {
    const table = flagTable('-a -n:num -i[suffix] --all --lines=num --color[=text] --format={a|b} -run:text');
    expect(
      [...table.values()].map(({ name, kind, optional, choices }) => [name, kind, optional, choices]),
    ).toEqual([
      ['-a', 'none', false, null],
      ['-n', 'num', false, null],
      ['-i', 'suffix', true, null],
      ['--all', 'none', false, null],
      ['--lines', 'num', false, null],
      ['--color', 'text', true, null],
      ['--format', 'word', false, ['a', 'b']],
      ['-run', 'text', false, null],
    ]);
  });

  it('refuses what it does not know, so that a mistake shows at once', () => {
    expect(() => flagTable('lines')).toThrow('Not a flag');
    expect(() => flagTable('-n:numbr')).toThrow('Not a kind of value');
  });
});

describe('the words of a program', () => {
  it('are read as the program reads them: bundles, attached values, values in the next word', () => {
    expect(read(SORT, '-rn', '-k2', 'a')).toEqual({
      flags: [
        ['-r', null],
        ['-n', null],
        ['-k', '2'],
      ],
      operands: ['a'],
      rules: [],
    });
    expect(read(SORT, '-rk', '2', 'a').flags).toEqual([
      ['-r', null],
      ['-k', '2'],
    ]);
    expect(read(SORT, '--key=2', '--key', '3').flags).toEqual([
      ['--key', '2'],
      ['--key', '3'],
    ]);
    expect(read(SORT, '-in').flags).toEqual([['-i', 'n']]);
    expect(read(SORT, '--color', 'a')).toMatchObject({ flags: [['--color', null]], operands: ['a'] });
    expect(read(SORT, '--', '-r')).toMatchObject({ flags: [], operands: ['-r'] });
  });

  it('are a finding when a flag is unknown, abbreviated, refused, or lacks its value', () => {
    expect(read(SORT, '-x').rules).toEqual(['flags.unknown']);
    expect(read(SORT, '--al').rules).toEqual(['flags.unknown']);
    expect(read(SORT, '--compress-prog=x').rules).toEqual(['flags.refused']);
    expect(read(SORT, '-rTx').rules).toEqual(['flags.refused']);
    expect(read(SORT, '-k').rules).toEqual(['flags.value']);
    expect(read(SORT, '-k', '-r').rules).toEqual(['flags.value']);
    expect(read(SORT, '--all=1').rules).toEqual(['flags.unknown']);
  });

  it('are a finding when a pattern can become a flag', () => {
    expect(read(SORT, '*').rules).toEqual(['subset.glob']);
    expect(read(SORT, './*', 'a*').rules).toEqual([]);
    expect(read({ ...SORT, harmlessFlags: true }, '*').rules).toEqual([]);
    expect(read(SORT, '-*').rules).toEqual(['subset.glob']);
  });

  it('end their flags at the first operand where the program does so', () => {
    expect(read({ ...SORT, style: 'posix' }, '-r', 'a', '-x')).toMatchObject({
      operands: ['a', '-x'],
      rules: [],
    });
    expect(read({ flags: flagTable('-run:text'), style: 'long' }, '--run', 'x', '-run=y').flags).toEqual([
      ['-run', 'x'],
      ['-run', 'y'],
    ]);
  });
});

/** Values that parsers, databases and hashes have choked on, as the text that stands for them in JSON. */
import type { Random } from '../sweep/random.js';

/** A value as JSON writes it; not always JSON: some of these are what careless programs write. */
export type RawJson = string;

const quoted = (text: string): RawJson => JSON.stringify(text);

const STRINGS: readonly RawJson[] = [
  ...['', ' ', '\t\n', '\u00a0', '\u200b', '\ufeff', '\ufeffbom', '\u202egnp.txt', '\u2066\u2069', '\u0000'],
  ...[
    'a\u0000b',
    '\u0001\u0002\u001f\u007f\u0085',
    '\ud83d',
    '\ude00x',
    'x\ud83d\ud83d',
    '😀',
    'é',
    'e\u0301',
  ],
  ...[
    '\uffff\ufffe',
    'ÅΩ漢字עברית',
    '\\',
    '"',
    "'; drop table tasks; --",
    '%00',
    '../../etc/passwd',
    '$1',
    '{{x}}',
  ],
  ...['NaN', '1e999', '-0', 'null', 'true', '[]', '__proto__', 'constructor', 'toString', 'hasOwnProperty'],
  ...[
    '2026-02-30T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '9999-12-31T23:59:59.999Z',
  ],
  ...[
    '9999-12-31T23:59:59-23:59',
    '+275760-09-13T00:00:00.000Z',
    '-000001-01-01T00:00:00Z',
    '2026-06-30T23:59:60Z',
  ],
  ...[
    '0.0000000001',
    '999999999.999999999',
    '-1',
    '1e9',
    'http://[::1',
    'http://a\u0000b/',
    'https://x',
    'file:///',
  ],
  ...['task_00000000000000000000000000', 'task_zzzzzzzzzzzzzzzzzzzzzzzzzz', 'ask_0', '*', '(((((', '\\u0000'],
].map(quoted);

/** What `JSON.stringify` never writes. */
const RAW_STRINGS: readonly RawJson[] = [
  ...[
    '"\u0000"',
    '"\n"',
    '"\u001b[31m"',
    '"\\x"',
    '"\\u12"',
    '"\\u{1}"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    "'a'",
  ],
  ...[
    '"\\u0000"',
    '"a\\u0000"',
    '"unclosed',
    '"\\',
    '"\\ud83d\\ude00"',
    '"\\u005f\\u005fproto__"',
    '"\ufffe"',
  ],
];

const NUMBERS: readonly RawJson[] = [
  ...[
    '-0',
    '0',
    '-1',
    '0.1',
    '1.0',
    '1e0',
    '1e999',
    '-1e999',
    '1e308',
    '1e-999',
    '5e-324',
    '9007199254740993',
  ],
  ...[
    '2147483647',
    '2147483648',
    '-2147483649',
    '9223372036854775808',
    `1${'0'.repeat(400)}`,
    '01',
    '.5',
    '1.',
  ],
  ...['+1', '0x10', '1_000', 'NaN', 'Infinity', '-Infinity', '-', '1e', `0.${'9'.repeat(20_000)}`, '-0.0e-0'],
];

const OTHERS: readonly RawJson[] = [
  ...[
    'null',
    'true',
    'false',
    '[]',
    '{}',
    '[null]',
    '[[]]',
    '{"":""}',
    'undefined',
    'nil',
    '',
    ',',
    '}',
    ']',
    '//x',
  ],
  ...[
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"toString":1,"valueOf":2}',
    '{"then":1}',
  ],
  ...[
    '{"length":1e9}',
    '{"0":"a","1":"b"}',
    '{"a":1,"a":2}',
    '{"toJSON":1}',
    '{"$ref":"#"}',
    '{"type":"object"}',
  ],
];

const DEPTHS = [2, 10, 62, 63, 64, 65, 66, 200, 1_000, 5_000, 10_000, 50_000, 100_000];
const SIZES = [100, 1_000, 10_000, 100_000];
const LENGTHS = [64, 65, 200, 201, 1_000, 4_096, 4_097, 100_001, 400_001];
const LETTERS = ['a', 'é', '漢', '😀', '\u0000', '\ud83d', ' ', '\\', '"', '\u0001', '\u202e', 'ﷺ'];

/** Of the short ones, those that are JSON and text that can be stored: they get further than the first check. */
const TAKEN = [...STRINGS, ...RAW_STRINGS, ...NUMBERS, ...OTHERS].filter((raw) => {
  try {
    return !/\\u(0000|d[89a-f])/.test(JSON.stringify(JSON.parse(`[${raw}]`)));
  } catch {
    return false;
  }
});

/** Names of fields, as JSON writes them. */
export const ODD_KEYS: readonly RawJson[] = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'toJSON',
    'then',
    'length',
  ],
  ...['', ' ', '0', '-1', '\u0000', '\ud800', '\ufeff', 'a.b', 'a/b', '~1', '$ref', '😀', 'x'.repeat(5_000)],
].map(quoted);

/** A value that most checks let pass. */
export function takenValue(random: Random): RawJson {
  return random.weighted<() => RawJson>([
    [8, () => random.pick(TAKEN)],
    [1, () => `[${random.pick(TAKEN)},${random.pick(TAKEN)}]`],
    [1, () => `{"a":${random.pick(TAKEN)}}`],
    [1, () => deep(random, [10, 40, 60])],
    [1, () => wide(random, SIZES.slice(0, 3))],
    [1, () => long(random, [200, 1_000, 4_096, 100_000])],
  ])();
}

/** Mostly short ones: `big` ones are several hundred kilobytes. */
export function oddValue(random: Random, big: boolean): RawJson {
  if (big)
    return random.weighted<() => RawJson>([
      [3, () => deep(random)],
      [2, () => wide(random)],
      [2, () => long(random, [1_000_000, 1_100_000])],
    ])();
  return random.weighted<() => RawJson>([
    [6, () => random.pick(STRINGS)],
    [3, () => random.pick(RAW_STRINGS)],
    [4, () => random.pick(NUMBERS)],
    [4, () => random.pick(OTHERS)],
    [2, () => deep(random, DEPTHS.slice(0, 9))],
    [1, () => wide(random, SIZES.slice(0, 2))],
    [2, () => long(random, LENGTHS.slice(0, 7))],
  ])();
}

/** Nesting, sometimes with something odd at its end. */
function deep(random: Random, depths: readonly number[] = DEPTHS): RawJson {
  const levels = random.pick(depths);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"":', '}]'],
    ['[0,', ']'],
  ] as const);
  const inner = random.chance(0.3) ? random.pick([...STRINGS, ...NUMBERS]) : '1';
  return open.repeat(levels) + inner + (random.chance(0.9) ? close.repeat(levels) : '');
}

/** Many members. */
function wide(random: Random, sizes: readonly number[] = SIZES): RawJson {
  const size = random.pick(sizes);
  const member = random.pick(['0', '""', '{}', '[]', 'null', '"\\u0000"', '-0', '1e999']);
  if (random.chance(0.5)) return `[${Array.from({ length: size }, () => member).join(',')}]`;
  return `{${Array.from({ length: Math.min(size, 50_000) }, (_, at) => `"k${at}":${member}`).join(',')}}`;
}

function long(random: Random, lengths: readonly number[]): RawJson {
  const letter = random.weighted([
    [5, 'a'],
    [3, random.pick(LETTERS)],
  ]);
  return quoted(letter.repeat(Math.ceil(random.pick(lengths) / Buffer.byteLength(letter))));
}

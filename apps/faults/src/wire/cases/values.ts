/** Values inside arguments and texts that no JSON should hold: they must not spoil the history. */
import { calls, whole } from '../reply.js';
import { blockStart, blockStop, call, end, start, STOP, text, textDelta } from '../sse.js';
import { AFTER, type WireCase } from '../wire-case.js';

/** Values in arguments that no JSON should hold, and that must not spoil the history. */
const strangeValues: readonly WireCase[] = (
  [
    ['lone-high', '{"path":"l.txt","content":"x \\ud83d y"}'],
    ['lone-low', '{"path":"l.txt","content":"x \\ude00 y"}'],
    ['lone-swapped', '{"path":"l.txt","content":"\\ude00\\ud83d"}'],
    ['nul', '{"path":"l.txt","content":"x \\u0000 y"}'],
    ['control', '{"path":"l.txt","content":"x \\u0001\\u001f\\u007f y"}'],
    ['separators', '{"path":"l.txt","content":"x \\u2028\\u2029 y"}'],
    ['noncharacter', '{"path":"l.txt","content":"x \\uffff\\ufffe y"}'],
    ['proto', '{"path":"l.txt","content":"x","__proto__":{"polluted":true}}'],
  ] as const
).map(([name, json]) => ({
  name: `value-${name}`,
  what: `arguments ${json}`,
  replies: [calls(call(0, 'write_file', json))],
  expect: { output: AFTER, requests: 2, also: oneCall },
}));

const strangeKeys: readonly WireCase[] = (
  [
    ['lone', '{"path":"l.txt","content":"x","k\\ud83d":1}'],
    ['nul', '{"path":"l.txt","content":"x","k\\u0000":1}'],
    ['nested', '{"path":"l.txt","content":"x","deep":{"a":[{"k\\udead":"v\\ud83d"}]}}'],
    ['empty', '{"path":"l.txt","content":"x","":1}'],
    ['twice', '{"path":"l.txt","path":"l2.txt","content":"x"}'],
  ] as const
).map(([name, json]) => ({
  name: `key-${name}`,
  what: `arguments ${json}`,
  replies: [calls(call(0, 'write_file', json))],
  expect: { output: AFTER, requests: 2, also: oneCall },
}));

const numbers: readonly WireCase[] = (
  [
    ['huge', '1e400'],
    ['tiny', '1e-400'],
    ['negative-zero', '-0'],
    ['precise', '9007199254740993'],
    ['long', '9'.repeat(400)],
  ] as const
).map(([name, number]) => ({
  name: `number-${name}`,
  what: `the number ${number.slice(0, 20)} in arguments`,
  replies: [calls(call(0, 'list_files', `{"depth":${number}}`))],
  expect: { output: AFTER, requests: 2, also: oneCall },
}));

const texts: readonly WireCase[] = (
  [
    ['lone-high', 'Half \ud83d a character.', 'Half \ufffd a character.'],
    ['lone-low', 'Half \ude00 a character.', 'Half \ufffd a character.'],
    ['nul', 'A \u0000 byte.', 'A \u2400 byte.'],
    ['control', 'Bell \u0007 and escape \u001b[31m.', undefined],
    ['rtl', 'Right \u202e to left.', undefined],
    // Numbers, since a text that says the same over and over is taken for what it is.
    ['long', Array.from({ length: 40_000 }, (_, at) => `word ${at} `).join(''), undefined],
  ] as const
).map(([name, words, output]) => ({
  name: `text-${name}`,
  what: `a text with ${name}`,
  replies: [
    calls(text(0, words), call(1, 'list_files', {})),
    whole(start(), text(0, words), end('end_turn'), STOP),
  ],
  expect: { requests: 2, calls: [{ tool: 'list_files' }], ...(output === undefined ? {} : { output }) },
}));

/** Half a pair at the end of one delta, its other half at the start of the next. */
const tornPair: WireCase = {
  name: 'text-torn-pair',
  what: 'a character torn between two deltas',
  replies: [
    whole(
      start(),
      blockStart(0, { type: 'text', text: '' }),
      textDelta(0, 'Smile \ud83d'),
      textDelta(0, '\ude00.'),
      blockStop(0),
      end('end_turn'),
      STOP,
    ),
  ],
  expect: { output: 'Smile \u{1f600}.', requests: 1 },
};

function oneCall({ toolCalls }: { readonly toolCalls: readonly unknown[] }): readonly string[] {
  return toolCalls.length === 1 ? [] : [`it has ${toolCalls.length} calls, not 1`];
}

export const valueCases: readonly WireCase[] = [
  ...strangeValues,
  ...strangeKeys,
  ...numbers,
  ...texts,
  tornPair,
];

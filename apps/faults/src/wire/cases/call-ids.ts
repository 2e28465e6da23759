/** Calls whose ids and names are as no API should send them. */
import { calls } from '../reply.js';
import { blockStop, call, callStart, jsonDelta } from '../sse.js';
import { AFTER, type WireCase } from '../wire-case.js';

const HELLO = { path: 'a.txt', content: 'hello' };
const WROTE = { 'a.txt': 'hello' };
const write = (id: unknown, at: unknown = 0) => call(at, 'write_file', HELLO, id);

/** Ids that are made up or mended; the call runs, and is bought once. */
const ids: readonly WireCase[] = (
  [
    ['null', null],
    ['empty', ''],
    ['number', 42],
    ['object', { id: 1 }],
    ['true', true],
    ['blank', '   '],
    ['odd', 'call:1/ü "x"\u0000'],
    ['long', 'x'.repeat(10_000)],
    ['surrogate', 'toolu_\ud83d'],
    ['slash', '../../etc/passwd'],
  ] as const
).map(([name, id]) => ({
  name: `id-${name}`,
  what: `a call with the id ${JSON.stringify(id).slice(0, 40)}`,
  replies: [calls(write(id))],
  expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file' }], files: WROTE },
}));

const moreIds: readonly WireCase[] = [
  {
    name: 'id-missing',
    what: 'a call without an id',
    replies: [
      calls(callStart(0, { name: 'write_file' }) + jsonDelta(0, JSON.stringify(HELLO)) + blockStop(0)),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file' }], files: WROTE },
  },
  {
    name: 'id-null-list',
    what: 'a call of list_files with the id null',
    replies: [calls(call(0, 'list_files', {}, null))],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'list_files' }] },
  },
  {
    name: 'ids-same',
    what: 'two calls with one id',
    replies: [calls(write('toolu_same', 0), call(1, 'list_files', {}, 'toolu_same'))],
    expect: {
      output: AFTER,
      requests: 2,
      calls: [{ tool: 'write_file' }, { tool: 'list_files' }],
      files: WROTE,
    },
  },
  {
    name: 'ids-same-later',
    what: 'a later answer repeats an id',
    replies: [calls(write('toolu_same')), calls(call(0, 'list_files', {}, 'toolu_same'))],
    expect: { output: AFTER, requests: 3, calls: [{ tool: 'write_file' }, { tool: 'list_files' }] },
  },
  {
    name: 'ids-all-null',
    what: 'three calls with the id null',
    replies: [
      calls(write(null, 0), call(1, 'list_files', {}, null), call(2, 'list_files', { depth: 2 }, null)),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      calls: [{ tool: 'write_file' }, { tool: 'list_files' }, { tool: 'list_files' }],
    },
  },
  {
    name: 'ids-alike-once-mended',
    what: 'two ids that differ in characters that ids may not have',
    replies: [calls(write('a:b', 0), call(1, 'list_files', {}, 'a/b'))],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file' }, { tool: 'list_files' }] },
  },
];

/** Names of no tool: an error result for the model, and the task goes on. */
const names: readonly WireCase[] = (
  [
    ['null', null],
    ['empty', ''],
    ['number', 42],
    ['object', { name: 'x' }],
    ['blank', '  '],
    ['odd', 'write file?'],
    ['unicode', '\u{1f600}datei'],
    ['surrogate', 'x\ud83d'],
    ['nul', 'write\u0000file'],
    ['long', 'x'.repeat(5_000)],
    ['newline', 'write_file\n'],
    ['upper', 'WRITE_FILE'],
    ['prototype', '__proto__'],
    ['constructor', 'constructor'],
    ['path', '../write_file'],
  ] as const
).map(([name, tool]) => ({
  name: `name-${name}`,
  what: `a call of ${JSON.stringify(tool).slice(0, 40)}`,
  replies: [calls(call(0, tool, HELLO))],
  expect: {
    output: AFTER,
    requests: 2,
    also: ({ toolCalls }) =>
      toolCalls.length === 1 && toolCalls[0]?.isError
        ? []
        : [`calls: ${JSON.stringify(toolCalls).slice(0, 200)}`],
  },
}));

export const callIds: readonly WireCase[] = [...ids, ...moreIds, ...names];

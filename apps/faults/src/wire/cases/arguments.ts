/** Arguments of calls: in odd places, and such as cannot be used. */
import { calls, whole } from '../reply.js';
import { blockStart, blockStop, call, callStart, end, jsonDelta, start, STOP } from '../sse.js';
import { AFTER, type WireCase } from '../wire-case.js';

const HELLO = { path: 'a.txt', content: 'hello' };
const WROTE = { 'a.txt': 'hello' };

/** Arguments that are whole, however they come. */
const argumentsThatCount: readonly WireCase[] = [
  {
    name: 'start-input',
    what: 'the arguments in content_block_start, no delta',
    replies: [calls(callStart(0, { id: 'toolu_s', name: 'write_file', input: HELLO }) + blockStop(0))],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', arguments: HELLO }], files: WROTE },
  },
  {
    name: 'start-input-and-deltas',
    what: 'the same arguments in content_block_start and in deltas',
    replies: [
      calls(
        callStart(0, { id: 'toolu_s', name: 'write_file', input: HELLO }) +
          jsonDelta(0, JSON.stringify(HELLO)) +
          blockStop(0),
      ),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', arguments: HELLO }], files: WROTE },
  },
  {
    name: 'start-input-and-empty-delta',
    what: 'the arguments in content_block_start, then an empty delta',
    replies: [
      calls(
        callStart(0, { id: 'toolu_s', name: 'write_file', input: HELLO }) + jsonDelta(0, '') + blockStop(0),
      ),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', arguments: HELLO }], files: WROTE },
  },
  {
    name: 'start-input-text',
    what: 'the arguments in content_block_start, as a JSON text',
    replies: [
      calls(callStart(0, { id: 'toolu_s', name: 'write_file', input: JSON.stringify(HELLO) }) + blockStop(0)),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      also: ({ toolCalls }) => (toolCalls.length === 1 ? [] : ['the call was lost']),
    },
  },
  {
    name: 'start-input-lone-surrogate',
    what: 'half a character in the arguments of content_block_start',
    replies: [
      calls(
        callStart(0, { id: 'toolu_s', name: 'write_file', input: { path: 'l.txt', content: 'x \ud83d y' } }) +
          blockStop(0),
      ),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file' }] },
  },
  {
    name: 'arguments-in-pieces',
    what: 'arguments torn inside an escape',
    replies: [
      calls(
        callStart(0, { id: 'toolu_p', name: 'write_file' }) +
          ['{"path":"a.t', 'xt","content":"h\\u0', '065', 'llo"', '}']
            .map((part) => jsonDelta(0, part))
            .join('') +
          blockStop(0),
      ),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', arguments: HELLO }], files: WROTE },
  },
  {
    name: 'arguments-none',
    what: 'a call without any arguments',
    replies: [calls(callStart(0, { id: 'toolu_n', name: 'list_files' }) + blockStop(0))],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'list_files' }] },
  },
  {
    name: 'input-missing',
    what: 'a call whose start has no input field',
    replies: [
      calls(
        blockStart(0, { type: 'tool_use', id: 'toolu_m', name: 'write_file' }) +
          jsonDelta(0, JSON.stringify(HELLO)) +
          blockStop(0),
      ),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', arguments: HELLO }], files: WROTE },
  },
  {
    name: 'input-null',
    what: 'a call whose start has input null',
    replies: [
      calls(
        callStart(0, { id: 'toolu_m', name: 'write_file', input: null }) +
          jsonDelta(0, JSON.stringify(HELLO)) +
          blockStop(0),
      ),
    ],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', arguments: HELLO }], files: WROTE },
  },
];

/** Arguments that cannot be used: an error result, and the task goes on. */
const argumentsThatDoNot: readonly WireCase[] = (
  [
    ['unclosed', '{"path":"a.txt","content":"hel'],
    ['list', '["a.txt"]'],
    ['text', '"a.txt"'],
    ['null', 'null'],
    ['number', '7'],
    ['two', '{"path":"a.txt"}{"content":"hello"}'],
    ['trailing', '{"path":"a.txt","content":"hello"} and more'],
    ['single-quotes', "{'path':'a.txt','content':'hello'}"],
    ['nan', '{"path":"a.txt","content":NaN}'],
    ['unclosed-emoji', `{"path":"m.txt","content":"${'z'.repeat(472)}${'\u{1f600}'.repeat(30)}`],
    ['unclosed-emoji-shifted', `{"path":"m.txt","content":"${'z'.repeat(473)}${'\u{1f600}'.repeat(800)}`],
    ['wrong-types', '{"path":1,"content":false}'],
    ['unknown-field', '{"path":"a.txt","content":"hello","mode":"fast"}'],
    ['deep', `${'{"a":'.repeat(3_000)}1${'}'.repeat(3_000)}`],
    ['huge', `{"path":"a.txt","contents":"${'x'.repeat(300_000)}"}`],
  ] as const
).map(([name, json]) => ({
  name: `arguments-${name}`,
  what: `arguments ${json.slice(0, 40)}`,
  replies: [calls(call(0, 'write_file', json))],
  expect: {
    output: AFTER,
    requests: 2,
    files: { 'a.txt': null, 'm.txt': null },
    calls: [{ tool: 'write_file', state: 'errored' }],
  },
}));

/** A lone half where an error quotes what came. */
const loneUnclosed: WireCase = {
  name: 'arguments-unclosed-lone',
  what: 'arguments that never close, with half a character as it stands',
  replies: [
    whole(start(), call(0, 'write_file', '{"path":"m.txt","content":"x \ud83d'), end('tool_use'), STOP),
  ],
  expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', state: 'errored' }] },
};

export const argumentCases: readonly WireCase[] = [
  ...argumentsThatCount,
  ...argumentsThatDoNot,
  loneUnclosed,
];

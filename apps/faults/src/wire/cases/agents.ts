/** Strange answers where a task is more than one turn: several calls, extraction, the last turn at a limit, subtasks, conversations. */
import { calls, says, whole, type Reply } from '../reply.js';
import { call, callStart, end, jsonDelta, blockStop, start, STOP, text, thinking } from '../sse.js';
import { AFTER, type WireCase } from '../wire-case.js';
import { promptOf } from '../wire-server.js';

const HELLO = { path: 'a.txt', content: 'hello' };
const cutAnswer = (...blocks: readonly string[]): Reply => whole(start(), ...blocks, end('length'), STOP);
const thinkOnly = whole(start(), thinking(0, 'Hm.'), end('end_turn'), STOP);
const SCHEMA = {
  type: 'object',
  required: ['n'],
  properties: { n: { type: 'integer' } },
  additionalProperties: false,
};

const manyCalls: readonly WireCase[] = [
  {
    name: 'calls-one-broken',
    what: 'three calls, the second with broken arguments',
    replies: [
      calls(
        call(0, 'write_file', HELLO),
        call(1, 'write_file', '{"path":"b.txt"'),
        call(2, 'write_file', { path: 'c.txt', content: 'three' }),
      ),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      calls: [{ tool: 'write_file' }, { tool: 'write_file', state: 'errored' }, { tool: 'write_file' }],
      files: { 'a.txt': 'hello', 'c.txt': 'three' },
    },
  },
  {
    name: 'calls-last-open',
    what: 'two calls, the second without its stop and with half its arguments, stop reason tool_use',
    replies: [
      calls(
        call(0, 'write_file', HELLO),
        callStart(1, { id: 'toolu_x', name: 'write_file' }) + jsonDelta(1, '{"path":"b'),
      ),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      files: { 'a.txt': 'hello', b: null },
      calls: [{ tool: 'write_file' }, { tool: 'write_file', state: 'errored' }],
    },
  },
  {
    name: 'calls-two-hundred',
    what: '200 calls in one answer',
    replies: [
      calls(
        ...Array.from({ length: 200 }, (_, at) => call(at, 'search_files', { pattern: `nothing-${at}` })),
      ),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      also: ({ toolCalls }) => (toolCalls.length === 200 ? [] : [`it has ${toolCalls.length} calls`]),
    },
  },
  {
    name: 'calls-cut-two',
    what: 'two whole calls, stop reason length',
    replies: [
      cutAnswer(call(0, 'write_file', HELLO), call(1, 'write_file', { path: 'b.txt', content: 'two' })),
    ],
    expect: { state: ['completed', 'failed'], files: { 'a.txt': null, 'b.txt': null }, requests: [1, 4] },
  },
  {
    name: 'calls-broken-for-ever',
    what: 'a call with broken arguments, each time',
    replies: (_, at) => calls(call(0, 'write_file', '{"path":', `toolu_${at}`)),
    expect: { state: 'failed', cause: 'mistakes', requests: [2, 40] },
  },
  {
    name: 'calls-of-nothing-for-ever',
    what: 'a call of no tool, every other time a good one',
    replies: (_, at) =>
      calls(
        at % 12 === 11
          ? call(0, 'list_files', { depth: at }, `toolu_${at}`)
          : call(0, null, { at }, `toolu_${at}`),
      ),
    task: { limits: { turns: 60 } },
    expect: { state: 'failed', cause: 'mistakes', requests: [2, 60] },
  },
];

const extraction: readonly WireCase[] = [
  {
    name: 'extract-cut',
    what: 'the typed result is cut, and its rest comes when asked for',
    replies: [says('Counted.'), cutAnswer(text(0, '{"n": 4')), says('2}')],
    task: { outputSchema: SCHEMA },
    expect: { output: '{"n":42}', requests: [3, 4] },
  },
  {
    name: 'extract-cut-but-valid',
    what: 'the typed result is cut where it happens to be valid',
    replies: [says('Counted.'), cutAnswer(text(0, '{"n": 4}')), says('{"n": 42}'), says('{"n": 42}')],
    task: { outputSchema: SCHEMA },
    expect: { state: ['completed', 'failed'], notOutput: '{"n":4}', requests: [3, 5] },
  },
  {
    name: 'extract-think-only',
    what: 'thinking instead of the typed result',
    replies: [says('Counted.'), thinkOnly, says('{"n": 42}')],
    task: { outputSchema: SCHEMA },
    expect: { output: '{"n":42}', requests: 3 },
  },
  {
    name: 'extract-call',
    what: 'a call where none may be made',
    replies: [says('Counted.'), calls(call(0, 'write_file', HELLO)), says('{"n": 42}'), says('{"n": 42}')],
    task: { outputSchema: SCHEMA },
    expect: { output: '{"n":42}', requests: [3, 4] },
  },
  {
    name: 'extract-number-too-large',
    what: 'a typed result with a number that JSON cannot hold',
    replies: [says('Counted.'), says('{"n": 1e999}'), says('{"n": 42}')],
    task: { outputSchema: SCHEMA },
    expect: { state: ['completed', 'failed'], requests: [2, 4] },
  },
  {
    name: 'extract-lone-surrogate',
    what: 'a typed result with half a character',
    replies: [says('Counted.'), says('{"s": "half \\ud83d"}')],
    task: { outputSchema: { type: 'object', properties: { s: { type: 'string' } } } },
    expect: { requests: [2, 3] },
  },
];

/** One turn only; what comes then is the answer to "sum up". */
const lastTurns: readonly WireCase[] = (
  [
    ['think-only', thinkOnly],
    ['cut', cutAnswer(text(0, 'So far: one, tw'))],
    ['call', calls(call(0, 'write_file', { path: 'b.txt', content: 'late' }, 'toolu_late'))],
    ['nothing', whole(start(), end('end_turn'), STOP)],
    ['refusal', whole(start(), end('refusal'), STOP)],
    ['words', says('So far: one.')],
  ] as const
).map(([name, reply]) => ({
  name: `limit-${name}`,
  what: `the last answer at a limit is ${name}`,
  replies: [calls(call(0, 'write_file', HELLO)), reply],
  task: { limits: { turns: 1 } },
  expect: { state: 'failed', requests: [2, 4], files: { 'a.txt': 'hello', 'b.txt': null } },
}));

const spawn = (name: string) =>
  call(0, 'spawn_subtask', { agent: 'general', prompt: promptOf(name), title: name }, 'toolu_spawn');
const idIn = (body: unknown) => /task_[0-9a-z]{26}/.exec(JSON.stringify(body))?.[0] ?? '';

/** A parent whose child gets such answers; the parent hears of it and ends well. */
function parentOf(name: string, what: string, child: Reply, heard: RegExp): WireCase {
  const childName = `child-${name}`;
  return {
    name: `subtask-${name}`,
    what: `a subtask that gets ${what}, each time`,
    replies: ({ messages }, at) => {
      if (at === 0) return calls(spawn(childName));
      if (at === 1)
        return calls(call(0, 'wait_for_subtasks', { taskIds: [idIn(messages.slice(1))] }, 'toolu_wait'));
      return says(AFTER);
    },
    others: { [childName]: () => child },
    expect: {
      output: AFTER,
      requests: 3,
      also: ({ toolCalls }) =>
        heard.test(toolCalls.at(-1)?.output ?? '') ? [] : [`the parent heard ${toolCalls.at(-1)?.output}`],
    },
  };
}

const subtasks: readonly WireCase[] = [
  parentOf('cut', 'answers that are cut', cutAnswer(text(0, 'One, tw')), /failed/),
  parentOf('thinking', 'thinking only', thinkOnly, /failed/),
  parentOf('fine', 'an ordinary answer', says('Fine.'), /completed/),
  {
    name: 'subtask-in-cut-answer',
    what: 'a whole spawn_subtask, stop reason length',
    replies: [cutAnswer(spawn('child-never'))],
    expect: {
      state: ['completed', 'failed'],
      requests: [1, 4],
      also: ({ toolCalls }) =>
        toolCalls.flatMap(({ childTaskId }) => (childTaskId === null ? [] : ['a subtask was made'])),
    },
  },
];

const conversations: readonly WireCase[] = (
  [
    ['cut', cutAnswer(text(0, 'One, two, thr'))],
    ['no-reason', whole(start(), text(0, 'One, two, thr'), end(null), STOP)],
    ['calls-cut', cutAnswer(call(0, 'write_file', HELLO))],
  ] as const
).map(([name, reply]) => ({
  name: `chat-for-ever-${name}`,
  what: `a conversation whose answers are ${name}, each time`,
  replies: () => reply,
  task: { conversation: true },
  expect: { state: ['waiting', 'failed'], requests: [1, 12], files: { 'a.txt': null } },
}));

/** A part of a call with its start only. */
const bare: WireCase = {
  name: 'call-start-only',
  what: 'nothing but the start and the stop of a call of a tool that needs arguments',
  replies: [calls(callStart(0, { id: 'toolu_b', name: 'write_file' }) + blockStop(0))],
  expect: { output: AFTER, requests: 2, calls: [{ tool: 'write_file', state: 'errored' }] },
};

export const agents: readonly WireCase[] = [
  ...manyCalls,
  ...extraction,
  ...lastTurns,
  ...subtasks,
  ...conversations,
  bare,
];

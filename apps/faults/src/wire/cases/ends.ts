/** How an answer ends: what is not a known good end is never a result. */
import { broken, calls, says, whole } from '../reply.js';
import {
  call,
  end,
  NONE,
  signatureOf,
  start,
  STOP,
  text,
  textDelta,
  thinking,
  blockStart,
  blockStop,
  delta,
} from '../sse.js';
import type { WireCase } from '../wire-case.js';
import { AFTER } from '../wire-case.js';

const CUT = 'The list has ten entries: one, two, thr';
const WRITE = { path: 'a.txt', content: 'hello' };

const shown = (reason: unknown) => (reason === NONE ? 'missing' : JSON.stringify(reason));

/** Words that stop in the middle, with this reason. */
const cutWith = (reason: unknown) => whole(start(), text(0, CUT), end(reason), STOP);

/** Reasons that are no good end, and those that are not known. */
const NO_GOOD_END: readonly (readonly [name: string, reason: unknown])[] = [
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['context-window', 'model_context_window_exceeded'],
  ['made-up', 'banana'],
  ['upper-case', 'END_TURN'],
  ['with-space', 'end_turn '],
  ['stop', 'stop'],
  ['compaction', 'compaction'],
  ['empty', ''],
  ['null', null],
  ['missing', NONE],
  ['number', 7],
  ['true', true],
  ['object', { reason: 'end_turn' }],
  ['list', ['end_turn']],
  ['max-tokens', 'max_tokens'],
];

const cutTexts = NO_GOOD_END.map(([name, reason]): WireCase => ({
  name: `end-${name}`,
  what: `a text that stops in the middle, stop reason ${shown(reason)}`,
  replies: [cutWith(reason)],
  expect: { state: ['completed', 'failed'], notOutput: CUT, requests: [1, 4] },
}));

/** The same end again and again: the task must not go on for ever, nor come out as a success. */
const cutForEver = NO_GOOD_END.map(([name, reason]): WireCase => ({
  name: `ends-for-ever-${name}`,
  what: `stop reason ${shown(reason)} each time`,
  replies: () => cutWith(reason),
  expect: { state: 'failed', requests: [1, 12] },
}));

/** A call that looks complete in an answer that is not: it must not run. */
const cutCalls = NO_GOOD_END.map(([name, reason]): WireCase => ({
  name: `call-with-end-${name}`,
  what: `a call that looks complete, stop reason ${shown(reason)}`,
  replies: [whole(start(), call(0, 'write_file', WRITE), end(reason), STOP)],
  expect: { state: ['completed', 'failed'], files: { 'a.txt': null }, requests: [1, 4] },
}));

const goodEnds: readonly WireCase[] = ['end_turn', 'stop_sequence'].map((reason) => ({
  name: `end-${reason.replace('_', '-')}`,
  what: `an ordinary answer, stop reason ${reason}`,
  replies: [whole(start(), text(0, 'Done.'), end(reason), STOP)],
  expect: { output: 'Done.', requests: 1 },
}));

const thinkOnly = whole(start(), thinking(0, 'Let me see.'), end('end_turn'), STOP);
const unsigned = whole(
  start(),
  blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: 'Let me see.' }),
  blockStop(0),
  end('end_turn'),
  STOP,
);
const redacted = whole(
  start(),
  blockStart(0, { type: 'redacted_thinking', data: 'Zm9v' }),
  blockStop(0),
  end('end_turn'),
  STOP,
);
const silent = (words: string) => whole(start(), text(0, words), end('end_turn'), STOP);

/** Answers that say nothing: asked once more, and the second answer counts. */
const EMPTY: readonly (readonly [name: string, what: string, reply: ReturnType<typeof whole>])[] = [
  ['think-only', 'one signed thinking block and no word', thinkOnly],
  ['think-only-unsigned', 'one thinking block without a signature', unsigned],
  ['think-only-redacted', 'one redacted thinking block', redacted],
  [
    'think-only-twice',
    'two thinking blocks',
    whole(start(), thinking(0, 'One.'), thinking(1, 'Two.'), end('end_turn'), STOP),
  ],
  [
    'think-then-blank',
    'thinking, then a text of blanks',
    whole(start(), thinking(0, 'Hm.'), text(1, ' \n\t '), end('end_turn'), STOP),
  ],
  ['nothing', 'no block at all', whole(start(), end('end_turn'), STOP)],
  ['empty-text', 'a text block without a character', silent('')],
  ['blank-text', 'a text of blanks', silent('  \n \t ')],
  ['blank-unicode', 'a text of blanks that are not ASCII', silent('\u00a0\u2003\u3000\ufeff')],
  ['tool-use-without-call', 'stop reason tool_use, no call', whole(start(), end('tool_use'), STOP)],
  [
    'tool-use-think-only',
    'thinking, stop reason tool_use, no call',
    whole(start(), thinking(0, 'Hm.'), end('tool_use'), STOP),
  ],
];

const empties = EMPTY.flatMap(([name, what, reply]): WireCase[] => [
  {
    name,
    what,
    replies: [reply, says('Now with words.')],
    expect: { output: 'Now with words.', requests: 2 },
  },
  {
    name: `${name}-chat`,
    what: `${what}, in a conversation`,
    replies: [reply, says('Now with words.')],
    task: { conversation: true },
    expect: { state: 'waiting', requests: 2, also: lastWords('Now with words.') },
  },
  {
    name: `${name}-for-ever`,
    what: `${what}, each time`,
    replies: () => reply,
    expect: { state: 'failed', requests: [2, 8] },
  },
]);

function lastWords(words: string): NonNullable<WireCase['expect']['also']> {
  return ({ history }) => {
    const last = history.at(-1);
    const said =
      last?.role === 'assistant' &&
      last.content.at(-1)?.type === 'text' &&
      JSON.stringify(last.content).includes(words);
    return said ? [] : [`its last message is ${JSON.stringify(last?.content)}, not ${words}`];
  };
}

const others: readonly WireCase[] = [
  {
    name: 'tool-use-with-text-only',
    what: 'words and stop reason tool_use, but no call',
    replies: [whole(start(), text(0, 'I shall look at it now.'), end('tool_use'), STOP)],
    expect: { notOutput: 'I shall look at it now.', requests: [2, 4] },
  },
  {
    name: 'end-turn-with-call',
    what: 'a whole call, stop reason end_turn',
    replies: [whole(start(), call(0, 'list_files', {}), end('end_turn'), STOP)],
    // Whether it runs is a matter of taste; that it is answered and the task goes on is not.
    expect: {
      output: AFTER,
      requests: 2,
      also: ({ toolCalls }) => (toolCalls.length === 1 ? [] : [`it has ${toolCalls.length} calls`]),
    },
  },
  {
    name: 'no-stop',
    what: 'a text, then message_stop without any message_delta',
    replies: [broken(start(), text(0, CUT), STOP)],
    expect: { state: ['completed', 'failed'], notOutput: CUT, requests: [1, 4] },
  },
  {
    name: 'no-stop-for-ever',
    what: 'a text, then message_stop without any message_delta, each time',
    replies: () => broken(start(), text(0, CUT), STOP),
    expect: { state: 'failed', requests: [1, 12] },
  },
  {
    name: 'no-stop-call',
    what: 'a call, then message_stop without any message_delta',
    replies: [broken(start(), call(0, 'write_file', WRITE), STOP)],
    expect: { state: ['completed', 'failed'], files: { 'a.txt': null }, requests: [1, 6] },
  },
  {
    name: 'refusal-with-call',
    what: 'a whole call, stop reason refusal',
    replies: [whole(start(), call(0, 'write_file', WRITE), end('refusal'), STOP)],
    expect: { state: 'failed', cause: 'refused', calls: [], files: { 'a.txt': null }, requests: 1 },
  },
  {
    name: 'refusal-with-part-of-call',
    what: 'half a call, stop reason refusal',
    replies: [
      whole(
        start(),
        text(0, 'I'),
        blockStart(1, { type: 'tool_use', id: 'toolu_r', name: 'write_file', input: {} }),
        delta(1, { type: 'input_json_delta', partial_json: '{"path":"a' }),
        end('refusal'),
        STOP,
      ),
    ],
    expect: { state: 'failed', cause: 'refused', calls: [], files: { 'a.txt': null }, requests: 1 },
  },
  {
    name: 'refusal-silent',
    what: 'stop reason refusal and nothing else',
    replies: [whole(start(), end('refusal'), STOP)],
    expect: { state: 'failed', cause: 'refused', requests: 1 },
  },
  {
    name: 'pause-turn',
    what: 'words, stop reason pause_turn',
    replies: [whole(start(), text(0, 'Still at it'), end('pause_turn'), STOP)],
    expect: { notOutput: 'Still at it', requests: 2 },
  },
  {
    name: 'max-tokens-open-text',
    what: 'a text block without its stop, stop reason max_tokens',
    replies: [
      whole(start(), blockStart(0, { type: 'text', text: '' }), textDelta(0, CUT), end('max_tokens'), STOP),
    ],
    expect: { notOutput: CUT, requests: 2 },
  },
  {
    name: 'max-tokens-thinking-only',
    what: 'thinking that the token limit cut',
    replies: [
      whole(
        start(),
        blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
        delta(0, { type: 'thinking_delta', thinking: 'Let me' }),
        delta(0, { type: 'signature_delta', signature: signatureOf('Let me') }),
        blockStop(0),
        end('max_tokens'),
        STOP,
      ),
    ],
    expect: { output: AFTER, requests: [2, 4] },
  },
  {
    name: 'call-and-thinking-last',
    what: 'a call, then thinking',
    replies: [calls(call(0, 'list_files', {}), thinking(1, 'And then?'))],
    expect: { output: AFTER, requests: 2, calls: [{ tool: 'list_files' }] },
  },
  {
    name: 'text-and-thinking-last',
    what: 'words, then thinking, in a conversation of two turns',
    replies: [
      whole(
        start(),
        text(0, 'Looked.'),
        call(1, 'list_files', {}),
        thinking(2, 'Hm.'),
        end('tool_use'),
        STOP,
      ),
      whole(start(), text(0, 'Said.'), thinking(1, 'Hm.'), end('end_turn'), STOP),
    ],
    expect: { output: 'Said.', requests: 2, calls: [{ tool: 'list_files' }] },
  },
];

export const ends: readonly WireCase[] = [
  ...cutTexts,
  ...cutForEver,
  ...cutCalls,
  ...goodEnds,
  ...empties,
  ...others,
];

/** Blocks and deltas in orders that no API should send. */
import { calls, whole } from '../reply.js';
import {
  blockStart,
  blockStop,
  call,
  callStart,
  end,
  jsonDelta,
  PING,
  start,
  STOP,
  text,
  textDelta,
  thinking,
} from '../sse.js';
import { AFTER, type WireCase } from '../wire-case.js';
import { framed, HELLO, turned, WORDS } from './usual.js';

const callOpen = callStart(0, { id: 'toolu_o', name: 'write_file' }) + jsonDelta(0, JSON.stringify(HELLO));

export const orders: readonly WireCase[] = [
  framed(
    'one-index-two-texts',
    'two texts under one index, one after the other',
    whole(start(), text(0, 'Grüße, '), text(0, 'both in one answer.'), end('end_turn'), STOP),
    {
      output: /Grüße, \s*both in one answer\./,
      requests: 1,
    },
  ),
  {
    name: 'one-index-two-calls',
    what: 'two calls under one index, one after the other',
    replies: [
      calls(
        call(0, 'write_file', HELLO, 'toolu_1'),
        call(0, 'write_file', { path: 'b.txt', content: 'two' }, 'toolu_2'),
      ),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      calls: [{ tool: 'write_file' }, { tool: 'write_file' }],
      files: { 'a.txt': 'hello', 'b.txt': 'two' },
    },
  },
  turned(
    'one-index-thinking-text-call',
    'thinking, a text and a call, all under index 0',
    calls(thinking(0, 'Hm.'), text(0, WORDS), call(0, 'write_file', HELLO, 'toolu_i')),
  ),
  turned(
    'indices-backwards',
    'indices that fall',
    calls(text(3, WORDS), call(1, 'write_file', HELLO, 'toolu_i')),
  ),
  turned(
    'indices-with-gaps',
    'indices with gaps',
    calls(text(10, WORDS), call(70, 'write_file', HELLO, 'toolu_i')),
  ),
  {
    name: 'interleaved-calls',
    what: 'two calls whose deltas alternate',
    replies: [
      calls(
        callStart(0, { id: 'toolu_1', name: 'write_file' }) +
          callStart(1, { id: 'toolu_2', name: 'write_file' }) +
          jsonDelta(0, '{"path":"a.txt",') +
          jsonDelta(1, '{"path":"b.txt",') +
          jsonDelta(0, '"content":"hello"}') +
          jsonDelta(1, '"content":"two"}') +
          blockStop(1) +
          blockStop(0),
      ),
    ],
    expect: {
      output: AFTER,
      requests: 2,
      calls: [{ tool: 'write_file' }, { tool: 'write_file' }],
      files: { 'a.txt': 'hello', 'b.txt': 'two' },
    },
  },
  turned('stop-missing', 'a call without its stop, in a whole answer', calls(callOpen)),
  turned('stop-twice', 'a call that stops twice', calls(callOpen + blockStop(0) + blockStop(0))),
  {
    name: 'start-twice',
    what: 'a call that starts twice before its stop',
    replies: [calls(callStart(0, { id: 'toolu_1', name: 'write_file' }) + callOpen + blockStop(0))],
    expect: { output: AFTER, requests: 2, files: { 'a.txt': 'hello' } },
  },
  framed(
    'delta-before-start',
    'a delta before the start of its block',
    whole(start(), textDelta(0, 'Early. '), text(0, WORDS), end('end_turn'), STOP),
    {
      output: /Grüße, .* in one answer\./,
      requests: 1,
    },
  ),
  framed(
    'delta-after-stop',
    'a delta after the stop of its block',
    whole(start(), text(0, WORDS), textDelta(0, ' Late.'), end('end_turn'), STOP),
    {
      output: /^Grüße, .* in one answer\./,
      requests: 1,
    },
  ),
  {
    name: 'json-after-stop',
    what: 'more arguments after the stop of the call',
    replies: [calls(callOpen + blockStop(0) + jsonDelta(0, '{"path":"b.txt"}'))],
    // Whether they count is open; nothing may be lost or left without an answer.
    expect: {
      output: AFTER,
      requests: 2,
      also: ({ toolCalls }) => (toolCalls.length === 1 ? [] : [`it has ${toolCalls.length} calls`]),
    },
  },
  turned(
    'text-in-call',
    'a text delta for a call',
    calls(
      callStart(0, { id: 'toolu_o', name: 'write_file' }) +
        textDelta(0, 'words') +
        jsonDelta(0, JSON.stringify(HELLO)) +
        blockStop(0),
    ),
  ),
  framed(
    'json-in-text',
    'arguments for a text',
    whole(
      start(),
      blockStart(0, { type: 'text', text: '' }),
      textDelta(0, WORDS),
      jsonDelta(0, '{"a":1}'),
      blockStop(0),
      end('end_turn'),
      STOP,
    ),
    // Left out, or a call that nobody can run: then the model hears of it, and the words stay in the history.
    {
      requests: [1, 2],
      also: ({ history }) => (JSON.stringify(history).includes(WORDS) ? [] : ['the words are lost']),
    },
  ),
  framed(
    'text-in-start',
    'the text in content_block_start',
    whole(start(), blockStart(0, { type: 'text', text: WORDS }), blockStop(0), end('end_turn'), STOP),
  ),
  framed(
    'text-in-start-and-delta',
    'half the text in content_block_start',
    whole(
      start(),
      blockStart(0, { type: 'text', text: WORDS.slice(0, 7) }),
      textDelta(0, WORDS.slice(7)),
      blockStop(0),
      end('end_turn'),
      STOP,
    ),
  ),
  framed(
    'no-message-start',
    'no message_start',
    whole(text(0, WORDS), end('end_turn', { input_tokens: 100, output_tokens: 12 }), STOP),
  ),
  framed('no-message-stop', 'no message_stop', whole(start(), text(0, WORDS), end('end_turn'))),
  framed(
    'no-block-stop',
    'no content_block_stop',
    whole(start(), blockStart(0, { type: 'text', text: '' }), textDelta(0, WORDS), end('end_turn'), STOP),
  ),
  framed(
    'end-before-text',
    'message_delta before the text',
    whole(start(), end('end_turn'), text(0, WORDS), STOP),
    { state: ['completed', 'failed'], requests: [1, 3] },
  ),
  framed(
    'delta-twice',
    'message_delta twice',
    whole(start(), text(0, WORDS), end('end_turn'), end('end_turn', { output_tokens: 12 }), STOP),
  ),
  framed(
    'delta-null-then-reason',
    'message_delta with stop reason null, then with one',
    whole(start(), text(0, WORDS), end(null), end('end_turn'), STOP),
  ),
  framed(
    'events-after-stop',
    'a block after message_stop',
    whole(start(), text(0, WORDS), end('end_turn'), STOP, text(1, 'Too late.'), PING),
  ),
  framed(
    'message-twice',
    'the whole message twice in one stream',
    whole(start(), text(0, WORDS), end('end_turn'), STOP, start(), text(0, WORDS), end('end_turn'), STOP),
  ),
  framed(
    'start-twice',
    'two message_starts, then one message',
    whole(start(), start(), text(0, WORDS), end('end_turn'), STOP),
  ),
  framed(
    'start-again-after-text',
    'a second message_start after half a text',
    whole(start(), text(0, 'False start.'), start(), text(0, WORDS), end('end_turn'), STOP),
    {
      output: /Grüße, .* in one answer\.$/,
      requests: 1,
    },
  ),
];

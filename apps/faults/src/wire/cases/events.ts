/** Single events and indices that are not what they should be, in answers that are. */
import { calls, whole } from '../reply.js';
import {
  blockStart,
  blockStop,
  call,
  delta,
  end,
  event,
  jsonDelta,
  start,
  STOP,
  text,
  textDelta,
} from '../sse.js';
import type { WireCase } from '../wire-case.js';
import { framed, HELLO, turned, WORDS } from './usual.js';

/** One event of an answer is not what it should be; the rest is. */
const oddEvents: readonly WireCase[] = (
  [
    [
      'delta-null',
      'a delta that is null',
      event('content_block_delta', { type: 'content_block_delta', index: 0, delta: null }),
    ],
    [
      'delta-missing',
      'content_block_delta without a delta',
      event('content_block_delta', { type: 'content_block_delta', index: 0 }),
    ],
    [
      'block-null',
      'a block that is null',
      event('content_block_start', { type: 'content_block_start', index: 5, content_block: null }) +
        blockStop(5),
    ],
    [
      'block-missing',
      'content_block_start without a block',
      event('content_block_start', { type: 'content_block_start', index: 5 }) + blockStop(5),
    ],
    ['block-untyped', 'a block without a type', blockStart(5, {}) + blockStop(5)],
    [
      'block-unknown',
      'a block of a type that is not known',
      blockStart(5, { type: 'hologram', data: 'x' }) +
        delta(5, { type: 'hologram_delta', x: 1 }) +
        blockStop(5),
    ],
    [
      'block-server-tool',
      'a call that the provider runs itself',
      blockStart(5, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }) +
        jsonDelta(5, '{"query":"x"}') +
        blockStop(5),
    ],
    ['delta-unknown', 'a delta of a type that is not known', delta(0, { type: 'hologram_delta', text: 'x' })],
    [
      'delta-citation',
      'a citation',
      delta(0, { type: 'citations_delta', citation: { type: 'char_location' } }),
    ],
    ['text-null', 'a text that is null', textDelta(0, null)],
    ['text-number', 'a text that is a number', textDelta(0, 7)],
    ['text-object', 'a text that is an object', textDelta(0, { text: 'x' })],
    ['text-missing', 'a text delta without text', delta(0, { type: 'text_delta' })],
    ['delta-nowhere', 'a delta for a block that never began', textDelta(9, 'Lost.')],
    ['stop-nowhere', 'a stop of a block that never began', blockStop(9)],
    [
      'stop-without-index',
      'content_block_stop without an index',
      event('content_block_stop', { type: 'content_block_stop' }),
    ],
    ['data-list', 'an event whose data is a list', event('content_block_delta', '[]')],
    ['type-missing', 'an event without a type in its data', event('content_block_delta', '{"index":0}')],
    [
      'delta-without-reason',
      'message_delta without a delta',
      event('message_delta', { type: 'message_delta', usage: { output_tokens: 2 } }),
    ],
    [
      'delta-of-null',
      'message_delta with delta null',
      event('message_delta', { type: 'message_delta', delta: null, usage: null }),
    ],
  ] as const
).map(([name, what, odd]) => ({
  name: `event-${name}`,
  what,
  replies: [
    whole(
      start(),
      blockStart(0, { type: 'text', text: '' }),
      textDelta(0, WORDS),
      odd,
      blockStop(0),
      end('end_turn'),
      STOP,
    ),
  ],
  expect: { output: /^Grüße, .* in one answer\./, requests: 1 },
}));

const INDICES: readonly unknown[] = [-1, 1.5, '0', 'first', null, undefined, 99, 1e21, true, { at: 0 }];

/** Blocks are told apart by their own start and stop; what stands as their index must not lose one. */
const indices = INDICES.flatMap((index, at): WireCase[] => [
  framed(
    `index-text-${at}`,
    `a text under the index ${JSON.stringify(index)}`,
    whole(start(), text(index, WORDS), end('end_turn'), STOP),
  ),
  turned(
    `index-call-${at}`,
    `a call under the index ${JSON.stringify(index)}`,
    calls(call(index, 'write_file', HELLO, 'toolu_i')),
  ),
  turned(
    `index-both-${at}`,
    `a text and a call, both under the index ${JSON.stringify(index)}`,
    calls(text(index, WORDS), call(index, 'write_file', HELLO, 'toolu_i')),
  ),
]);

export const eventCases: readonly WireCase[] = [...oddEvents, ...indices];

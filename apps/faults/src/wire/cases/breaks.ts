/** Streams that break. */
import { broken, cut, whole } from '../reply.js';
import { blockStart, callStart, end, errorEvent, event, jsonDelta, start, text, textDelta } from '../sse.js';
import { AFTER, type WireCase } from '../wire-case.js';
import { HELLO, WORDS } from './usual.js';

/** Streams that break: what was complete is kept and never asked for again, a half call never runs. */
export const breaks: readonly WireCase[] = [
  {
    name: 'cut-before-block',
    what: 'the connection ends before any block',
    replies: [cut(start())],
    expect: { output: AFTER, requests: 2 },
  },
  {
    name: 'cut-in-text',
    what: 'the connection ends within a text',
    replies: [cut(start(), blockStart(0, { type: 'text', text: '' }), textDelta(0, WORDS))],
    expect: { output: AFTER, requests: 2 },
  },
  {
    name: 'cut-after-text',
    what: 'the connection ends after a whole text',
    replies: [cut(start(), text(0, WORDS))],
    expect: { notOutput: WORDS, requests: 2 },
  },
  {
    name: 'cut-in-call',
    what: 'the connection ends within a call',
    replies: [
      cut(
        start(),
        text(0, WORDS),
        callStart(1, { id: 'toolu_c', name: 'write_file' }) + jsonDelta(1, JSON.stringify(HELLO)),
      ),
    ],
    expect: { notOutput: WORDS, requests: 2, files: { 'a.txt': null }, calls: [] },
  },
  {
    name: 'eof-in-call',
    what: 'the stream ends within a call',
    replies: [
      broken(
        start(),
        text(0, WORDS),
        callStart(1, { id: 'toolu_c', name: 'write_file' }) + jsonDelta(1, JSON.stringify(HELLO)),
      ),
    ],
    expect: { notOutput: WORDS, requests: 2, files: { 'a.txt': null }, calls: [] },
  },
  ...(
    [
      ['api', errorEvent('api_error', 'Internal')],
      ['unknown', errorEvent('novel_error', 'New')],
      ['null', errorEvent(null, null)],
      ['bare', event('error', { type: 'error' })],
      ['text', event('error', 'Something broke')],
      ['error-null', event('error', { type: 'error', error: null })],
    ] as const
  ).flatMap(([name, error]): WireCase[] => [
    {
      name: `error-first-${name}`,
      what: `an error event (${name}) before anything else`,
      replies: [{ ...broken(error), meaning: 'refusal' }],
      expect: { output: AFTER, requests: 2 },
    },
    {
      name: `error-in-text-${name}`,
      what: `an error event (${name}) within a text`,
      replies: [broken(start(), blockStart(0, { type: 'text', text: '' }), textDelta(0, WORDS), error)],
      expect: { output: AFTER, requests: 2 },
    },
    {
      name: `error-after-text-${name}`,
      what: `an error event (${name}) after a whole text`,
      replies: [broken(start(), text(0, WORDS), error)],
      expect: { notOutput: WORDS, requests: 2 },
    },
    {
      name: `error-after-end-${name}`,
      what: `an error event (${name}) after message_delta`,
      replies: [whole(start(), text(0, WORDS), end('end_turn'), error)],
      expect: { output: WORDS, requests: 1 },
    },
  ]),
  ...[
    'permission_error',
    'authentication_error',
    'billing_error',
    'rate_limit_error',
    'overloaded_error',
    'invalid_request_error',
    'request_too_large',
  ].map((type): WireCase => ({
    name: `error-in-stream-${type.replaceAll('_', '-')}`,
    what: `${type} within a text`,
    replies: [
      broken(
        start(),
        blockStart(0, { type: 'text', text: '' }),
        textDelta(0, WORDS),
        errorEvent(type, 'It quotes: credit balance is too low, prompt is too long.'),
      ),
    ],
    expect:
      type === 'authentication_error' || type === 'billing_error'
        ? { state: 'waiting', requests: 1, parks: true }
        : { state: ['completed', 'failed'], requests: [1, 5] },
    alone: true,
  })),
];

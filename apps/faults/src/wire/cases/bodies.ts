/** Bodies that are no stream of events. */
import { broken, refuses } from '../reply.js';
import { event, PING, start } from '../sse.js';
import type { WireCase } from '../wire-case.js';
import { ORDINARY } from './usual.js';

/** Bodies that are no stream of events: the task fails with a text of its own or tries again, and nothing reads as a result. */
export const notStreams: readonly WireCase[] = (
  [
    ['empty', 'a 200 without a body', broken()],
    ['only-ping', 'nothing but a ping', broken(PING)],
    ['only-start', 'nothing but message_start', broken(start())],
    [
      'json',
      'one JSON message instead of a stream',
      {
        ...refuses(200, {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'text', text: 'No.' }],
          stop_reason: 'end_turn',
          usage: { input_tokens: 1, output_tokens: 1 },
        }),
        meaning: 'broken',
      },
    ],
    [
      'json-error',
      'an error in JSON under 200',
      refuses(200, { type: 'error', error: { type: 'api_error', message: 'No.' } }),
    ],
    ['html', 'a login page under 200', refuses(200, '<html>Sign in</html>', { 'content-type': 'text/html' })],
    [
      'html-as-stream',
      'a page that calls itself a stream',
      { ...broken(), pieces: [Buffer.from('<html>\n\nevent: x\n\n</html>')] },
    ],
    [
      'plain',
      'a stream that calls itself plain text',
      { ...ORDINARY, meaning: 'broken', headers: { 'content-type': 'text/plain' } },
    ],
    [
      'no-gzip',
      'a body that says gzip and is none',
      { ...ORDINARY, meaning: 'broken', headers: { ...ORDINARY.headers, 'content-encoding': 'gzip' } },
    ],
    ['204', '204', refuses(204, '')],
    ['302-nowhere', 'a redirect that leads nowhere', refuses(302, '', { location: 'http://127.0.0.1:1/' })],
    ['304', '304', refuses(304, '')],
    [
      'bytes',
      'bytes that are no UTF-8',
      { ...broken(), pieces: [Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x0a, 0x0a])] },
    ],
    ['data-null', 'data that is null', broken(event('message_start', 'null'))],
    ['data-number', 'data that is a number', broken(event('message_start', '7'))],
    ['data-list', 'data that is a list', broken(event('message_start', '[]'))],
    ['data-broken', 'data that is no JSON', broken(event('message_start', '{"type":'))],
    [
      'start-null',
      'message_start with message null',
      broken(event('message_start', { type: 'message_start', message: null })),
    ],
    [
      'start-empty',
      'message_start without a message',
      broken(event('message_start', { type: 'message_start' })),
    ],
  ] as const
).map(([name, what, reply]) => ({
  name: `body-${name}`,
  what: `${what}, each time`,
  replies: () => reply,
  expect: { state: 'failed', requests: [1, 6] },
}));

/** HTTP itself, as proxies and servers that are going down speak it. */
import { raw, rewritten, says, whole, type Reply } from '../reply.js';
import { end, start, STOP, text } from '../sse.js';
import { AFTER, type Expectation, type WireCase } from '../wire-case.js';
import { ORDINARY, WORDS } from './usual.js';

const BODY = Buffer.concat(ORDINARY.pieces).toString('utf8');
const HEAD = 'content-type: text/event-stream';
const size = (bytes: number) => `content-length: ${bytes}`;
const LENGTH = Buffer.byteLength(BODY);
const chunk = (part: string) => `${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`;

/** Once this, then ordinary answers. */
function spoken(name: string, what: string, reply: Reply, expect: Expectation): WireCase {
  return { name: `http-${name}`, what, replies: [reply], expect };
}

const COUNTS: Expectation = { output: WORDS, requests: 1 };
const AGAIN: Expectation = { output: AFTER, requests: 2 };
/** What is not quite HTTP may be taken or asked for again. */
const EITHER: Expectation = { state: ['completed', 'failed'], requests: [1, 6] };

export const http: readonly WireCase[] = [
  spoken(
    '1-0',
    'HTTP/1.0, the end of the connection is the end of the body',
    raw('whole', 'HTTP/1.0 200 OK', HEAD, '', BODY),
    COUNTS,
  ),
  spoken(
    'no-length',
    'HTTP/1.1 without any length',
    raw('whole', 'HTTP/1.1 200 OK', HEAD, 'connection: close', '', BODY),
    COUNTS,
  ),
  spoken(
    'length',
    'a body with its length',
    raw('whole', 'HTTP/1.1 200 OK', HEAD, size(LENGTH), '', BODY),
    COUNTS,
  ),
  spoken(
    'length-too-long',
    'a length that is longer than the body',
    raw('whole', 'HTTP/1.1 200 OK', HEAD, size(LENGTH + 1_000), '', BODY),
    COUNTS,
  ),
  spoken(
    'length-too-short',
    'a length that ends within the text',
    raw('broken', 'HTTP/1.1 200 OK', HEAD, size(500), '', BODY),
    EITHER,
  ),
  spoken(
    'chunks-without-end',
    'chunks without the last one',
    raw('whole', 'HTTP/1.1 200 OK', HEAD, 'transfer-encoding: chunked', '', chunk(BODY)),
    COUNTS,
  ),
  spoken(
    'chunk-cut',
    'a chunk that is cut',
    raw('broken', 'HTTP/1.1 200 OK', HEAD, 'transfer-encoding: chunked', '', chunk(BODY).slice(0, 700)),
    EITHER,
  ),
  spoken(
    'chunk-size-wrong',
    'a chunk size that is no number',
    raw('broken', 'HTTP/1.1 200 OK', HEAD, 'transfer-encoding: chunked', '', `zz\r\n${BODY}\r\n0\r\n\r\n`),
    EITHER,
  ),
  spoken('nothing', 'a connection that closes without a byte', raw('refusal', ''), AGAIN),
  spoken('half-status', 'half a status line', raw('refusal', 'HTTP/1.1 2'), AGAIN),
  spoken('half-head', 'half the headers', raw('refusal', 'HTTP/1.1 200 OK', 'content-type: text/ev'), AGAIN),
  spoken('garbage', 'bytes that are no HTTP', raw('refusal', 'SSH-2.0-OpenSSH_9.2p1', '', ''), AGAIN),
  spoken(
    'early-hints',
    'a 103 before the answer',
    raw(
      'whole',
      'HTTP/1.1 103 Early Hints',
      'link: </x>',
      '',
      'HTTP/1.1 200 OK',
      HEAD,
      size(LENGTH),
      '',
      BODY,
    ),
    COUNTS,
  ),
  spoken(
    'continue',
    'a 100 before the answer',
    raw('broken', 'HTTP/1.1 100 Continue', '', 'HTTP/1.1 200 OK', HEAD, size(LENGTH), '', BODY),
    EITHER,
  ),
  spoken(
    'huge-headers',
    'headers of 64 KB',
    raw('broken', 'HTTP/1.1 200 OK', HEAD, `x-padding: ${'x'.repeat(65_536)}`, size(LENGTH), '', BODY),
    EITHER,
  ),
  spoken(
    'odd-request-id',
    'a request id that is no text for a database',
    raw('whole', 'HTTP/1.1 200 OK', HEAD, `request-id: ${'r'.repeat(5_000)} \u00ff`, size(LENGTH), '', BODY),
    COUNTS,
  ),
  spoken(
    'after-the-end',
    'more bytes after the end of the body',
    raw('whole', 'HTTP/1.1 200 OK', HEAD, size(LENGTH), '', `${BODY}HTTP/1.1 500 Oops\r\n\r\n`),
    COUNTS,
  ),
  spoken(
    'length-and-close',
    'the length of an error page, then nothing',
    raw('refusal', 'HTTP/1.1 502 Bad Gateway', 'content-type: text/html', size(100), '', '<html>'),
    AGAIN,
  ),
];

/** A great deal at once. */
export const large: readonly WireCase[] = [
  {
    name: 'large-text',
    what: 'a text of two million characters',
    replies: [says(numbers(200_000))],
    expect: { output: /^number 0 number 1 .*number 199999 ?$/, requests: 1 },
  },
  {
    name: 'large-in-crumbs',
    what: 'a text in 20,000 deltas',
    replies: [rewritten(whole(start(), text(0, 'MANY'), end('end_turn'), STOP), manyDeltas)],
    expect: { output: numbers(20_000), requests: 1 },
  },
  {
    name: 'large-event',
    what: 'one event of four megabytes',
    replies: [
      whole(start(undefined, { padding: 'x'.repeat(4_000_000) }), text(0, WORDS), end('end_turn'), STOP),
    ],
    expect: COUNTS,
  },
];

/** A text of which no part comes twice: one that says the same over and over is taken for what it is. */
function numbers(count: number): string {
  return Array.from({ length: count }, (_, at) => `number ${at} `).join('');
}

function manyDeltas(stream: string): string {
  return stream.replace(/event: content_block_delta\n.*\n\n/, (one) =>
    Array.from({ length: 20_000 }, (_, at) => one.replace('MANY', `number ${at} `)).join(''),
  );
}

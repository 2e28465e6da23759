/** The frames of a stream: line ends, comments, writes that tear it anywhere. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { rewritten, torn, whole } from '../reply.js';
import { end, event, PING, start, STOP, text } from '../sse.js';
import type { WireCase } from '../wire-case.js';
import { framed, ORDINARY, turned, TURN, WORDS } from './usual.js';

const lines = (change: (text: string) => string) => rewritten(ORDINARY, change);

export const frames: readonly WireCase[] = [
  framed(
    'crlf',
    'lines that end with CR LF',
    lines((stream) => stream.replaceAll('\n', '\r\n')),
  ),
  framed(
    'cr',
    'lines that end with CR',
    lines((stream) => stream.replaceAll('\n', '\r')),
  ),
  framed(
    'bom',
    'a byte order mark in front',
    lines((stream) => `\ufeff${stream}`),
  ),
  framed(
    'comments',
    'comments between the events',
    lines((stream) => stream.replaceAll('event:', ': keep-alive\n\n:\nevent:')),
  ),
  framed(
    'no-space',
    'no space behind the colons',
    lines((stream) => stream.replaceAll('event: ', 'event:').replaceAll('data: ', 'data:')),
  ),
  framed(
    'id-and-retry',
    'id and retry lines',
    lines((stream) => stream.replaceAll('event:', 'id: 7\nretry: 10\nevent:')),
  ),
  framed(
    'data-first',
    'data before the name of the event',
    lines((stream) => stream.replace(/(event: .*)\n(data: .*)\n\n/g, '$2\n$1\n\n')),
  ),
  framed(
    'data-in-lines',
    'data over several lines',
    lines((stream) => stream.replace(/data: \{(.*)\}\n/g, 'data: {\ndata: $1\ndata: }\n')),
  ),
  framed(
    'unnamed',
    'events without a name',
    lines((stream) => stream.replace(/event: .*\n/g, '')),
    { state: ['completed', 'failed'], requests: [1, 5] },
  ),
  framed(
    'misnamed',
    'events with another name than their type',
    lines((stream) => stream.replace(/event: .*\n/g, 'event: message\n')),
    { state: ['completed', 'failed'], requests: [1, 5] },
  ),
  framed(
    'blank-lines',
    'many empty lines between the events',
    lines((stream) => stream.replaceAll('\n\n', '\n\n\n\n')),
  ),
  framed(
    'pings',
    'a ping before each event',
    lines((stream) => stream.replaceAll('event:', `${PING}event:`)),
  ),
  framed(
    'done-marker',
    '[DONE] at the end, as others have it',
    whole(start(), text(0, WORDS), end('end_turn'), STOP, 'data: [DONE]\n\n'),
  ),
  framed(
    'unknown-events',
    'events of types that are not known',
    whole(
      event('novelty', { type: 'novelty', a: 1 }),
      start(),
      event('novelty', { type: 'novelty' }),
      text(0, WORDS),
      end('end_turn'),
      STOP,
    ),
  ),
  framed(
    'no-empty-line-at-end',
    'no empty line after the last event',
    lines((stream) => stream.trimEnd()),
  ),
  ...[1, 2, 3, 7, 64].map((size) =>
    framed(`torn-${size}`, `a write every ${size} bytes`, torn(ORDINARY, size)),
  ),
  framed('header-parameters', 'a content type with parameters, in capitals', {
    ...ORDINARY,
    headers: { 'content-type': 'TEXT/EVENT-STREAM; Charset=UTF-8' },
  }),
  framed('no-content-type', 'no content type', { ...ORDINARY, headers: {} }),
  ...(
    [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
    ] as const
  ).map(([encoding, compress]) =>
    framed(encoding, `a body in ${encoding}`, {
      ...ORDINARY,
      headers: { ...ORDINARY.headers, 'content-encoding': encoding },
      pieces: [compress(Buffer.concat(ORDINARY.pieces))],
    }),
  ),
  turned('turn-torn-1', 'text and a call, a write every byte', torn(TURN, 1)),
  turned(
    'turn-crlf-torn',
    'text and a call, CR LF, a write every three bytes',
    torn(
      rewritten(TURN, (stream) => stream.replaceAll('\n', '\r\n')),
      3,
    ),
  ),
];

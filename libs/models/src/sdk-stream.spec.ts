/** Our reader of event streams beside the SDK's own: the same bytes, record for record, event for event, error for error. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/core/streaming';
import type { ModelChunk, ModelError } from '@bullpen/core';
import { aModelRequest } from '@bullpen/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fetch as undiciFetch } from 'undici';
import { piecesOf } from './answer-body.js';
import { AnthropicModel } from './anthropic-model.js';
import { toModelError } from './errors.js';
import { EventMapper } from './event-mapper.js';
import { EventRecords } from './event-records.js';
import { WireEvents } from './wire-events.js';
import { asFields } from './wire-values.js';

const HEADERS = { 'content-type': 'text/event-stream', 'request-id': 'req_1' };
const now = new Date('2026-11-01T12:00:00Z');
const encoder = new TextEncoder();

const responseOf = (pieces: readonly Uint8Array[]) =>
  new Response(ReadableStream.from(pieces), { headers: HEADERS });

/** What comes of a stream: its events, and what ended it before its time. */
interface Read {
  readonly events: readonly unknown[];
  readonly error: ModelError | null;
}

async function readAll(events: AsyncIterable<unknown>): Promise<Read> {
  const read: unknown[] = [];
  try {
    for await (const event of events) read.push(event);
    return { events: read, error: null };
  } catch (error) {
    return { events: read, error: toModelError(error, now) };
  }
}

const bySdk = (response: Response) =>
  readAll(
    Stream.fromSSEResponse(response, new AbortController(), new Anthropic({ apiKey: 'x', logLevel: 'off' })),
  );

async function* ours(response: Response): AsyncGenerator<unknown> {
  const events = new WireEvents(piecesOf(response), response);
  for (let event = await events.next(); event !== null; event = await events.next()) yield event.fields;
}

/** Records without data say nothing to either. */
async function recordsBySdk(pieces: readonly Uint8Array[]): Promise<unknown[]> {
  const records: unknown[] = [];
  for await (const { event, data } of Stream.rawEvents(responseOf(pieces)))
    if (data !== '') records.push({ event: event || null, data });
  return records;
}

function recordsByUs(pieces: readonly Uint8Array[]): unknown[] {
  const reader = new EventRecords();
  return pieces
    .flatMap((piece) => reader.of(piece))
    .filter(({ data }) => data !== '')
    .map(({ event, data }) => ({ event: event ?? null, data }));
}

function torn(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((to, at) => bytes.subarray(places[at], to));
}
const cuts = fc.array(fc.nat(), { maxLength: 12 });

const sse = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const delta = (inner: object) => sse({ type: 'content_block_delta', index: 0, delta: inner });
const PING = sse({ type: 'ping' });
const OVERLOADED = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
const ANSWER = [
  sse({ type: 'message_start', message: { id: 'msg_1', content: [], usage: { input_tokens: 25 } } }),
  PING,
  sse({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  delta({ type: 'text_delta', text: 'Grüße, 世界 👋\u2028\ufeff' }),
  sse({ type: 'novelty', deep: [1, { a: null }] }),
  delta({ type: 'text_delta', text: 'and more' }),
  sse({ type: 'content_block_stop', index: 0 }),
  sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 42 } }),
  sse({ type: 'message_stop' }),
];

/** Ways to write the same answer, and what else may stand between its events. */
const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => text.replaceAll('\n', '\r'),
  (text) => `\ufeff${text}`,
  (text) => text.replaceAll('event: ', '\ufeffevent: '),
  (text) => text.replaceAll('event: ', ': keep-alive\n\n:\nevent: '),
  (text) => text.replaceAll('event: ', 'event:').replaceAll('data: ', 'data:'),
  (text) => text.replace(/(event: .*)\n(data: .*)\n\n/g, '$2\n$1\nid: 7\nretry: 10\n\n'),
  (text) => text.replaceAll('\n\n', '\n\n\n\n'),
  (text) => text.replaceAll('data: {', 'data: {\ndata:').replaceAll('}\n\n', '\ndata:}\n\n'),
  (text) => text.replaceAll('event: ', 'retry\ndata\n\nevent: nothing\n\nevent: '),
];

describe('the records of an event stream', () => {
  const piece = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.constantFrom('\n', '\r', '\r\n', '\n\n', 'data: ', 'data:', 'event: ', 'data'),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom('{"a":1}', 'ping', ':', ' ', 'id: 1', 'retry: 5', 'event', ': a comment'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom('\ufeff', 'ï»¿', '\u0000', '\u2028', '\u0085', 'é', '😀', 'dat', 'data : x'),
    },
  );
  const bytes = fc.array(
    fc.oneof(
      { weight: 20, arbitrary: piece.map((text) => encoder.encode(text)) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }) },
    ),
    { maxLength: 40 },
  );

  it('are those of the SDK, whatever comes and however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, cuts, async (parts, where) => {
        const all = Buffer.concat(parts);
        // The SDK takes a mark that is all of an unfinished last line for the line that ends a record.
        fc.pre(!/(^|[\r\n])\ufeff$/.test(all.toString()));
        const pieces = torn(all, where);
        expect(recordsByUs(pieces)).toEqual(await recordsBySdk(pieces));
      }),
      { numRuns: 1_500 },
    );
  });

  it('are those of the SDK where a mark stands between or behind ends of lines: none is lost with it', async () => {
    const bytes = encoder.encode('data: 1\r\ufeff\ndata: 2\r\r\ufeffdata: 3\r\ufeff\r\n\ufeff\n');
    for (let at = 0; at <= bytes.length; at += 1) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      expect(recordsByUs(pieces)).toEqual(await recordsBySdk(pieces));
    }
    expect(recordsByUs([bytes])).toMatchObject([{ data: '1' }, { data: '2' }, { data: '3' }]);
  });

  it('are there as soon as their last line has ended, with whatever it ends', () => {
    for (const eol of ['\n', '\r\n', '\r']) {
      const reader = new EventRecords();
      expect(reader.of(encoder.encode(`data: 1${eol}${eol}`))).toMatchObject([{ data: '1' }]);
      expect(reader.of(encoder.encode(`data: 2${eol}${eol}`))).toMatchObject([{ data: '2' }]);
    }
  });
});

describe('the events of an answer', () => {
  const broken = [
    'event: content_block_delta\ndata: {oops\n\n',
    OVERLOADED,
    'event: error\ndata: plain words\n\n',
  ];

  it.each(FRAMES.map((frame, at) => [at, frame] as const))(
    'are those of the SDK wherever they are cut, in frame %i',
    async (_, frame) => {
      const bytes = encoder.encode(frame(ANSWER.join('')));
      const expected = await bySdk(responseOf([bytes]));
      expect(expected.events).toHaveLength(8);
      for (let at = 0; at <= bytes.length; at += 1) {
        expect(await readAll(ours(responseOf([bytes.subarray(0, at), bytes.subarray(at)])))).toEqual(
          expected,
        );
      }
      const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
      expect(await readAll(ours(responseOf(single)))).toEqual(expected);
    },
  );

  it('are those of the SDK when the stream ends early or breaks, at any place and in any frame', async () => {
    const event = fc.constantFrom(...ANSWER, PING, ...broken);
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 12 }),
        fc.constantFrom(...FRAMES),
        fc.nat(),
        cuts,
        async (events, frame, end, where) => {
          const whole = encoder.encode(frame(events.join('')));
          const pieces = torn(whole.subarray(0, whole.length - (end % 40)), where);
          const read = await readAll(ours(responseOf(pieces)));
          const expected = await bySdk(responseOf(pieces));
          expect(read.events).toEqual(expected.events);
          expect(classOf(read.error)).toEqual(classOf(expected.error));
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** The words of what is no JSON are the SDK's or ours. */
function classOf(error: ModelError | null): unknown {
  return error && { class: error.class, providerRequestId: error.providerRequestId };
}

describe('an answer over a connection', () => {
  let server: Server;
  let baseURL: string;
  let answerWith: (response: ServerResponse) => Promise<unknown>;
  const request = aModelRequest();

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      incoming.resume().on('end', () => void answerWith(response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** The chunks that come of the SDK's own stream. */
  async function bySdkClient(): Promise<ModelChunk[]> {
    const client = new Anthropic({
      apiKey: 'x',
      baseURL,
      maxRetries: 0,
      logLevel: 'off',
      fetch: undiciFetch as never,
    });
    const stream = await client.messages.create({ model: 'm', max_tokens: 9, stream: true, messages: [] });
    const mapper = new EventMapper();
    const chunks: ModelChunk[] = [];
    try {
      for await (const event of stream)
        chunks.push(...mapper.map({ type: event.type, fields: asFields(event) }));
    } catch (error) {
      if (!mapper.isComplete)
        chunks.push({ type: 'error', error: { ...toModelError(error, now), providerRequestId: 'req_1' } });
    }
    return chunks;
  }

  async function byUs(): Promise<ModelChunk[]> {
    const chunks: ModelChunk[] = [];
    const model = new AnthropicModel({ apiKey: 'x', baseURL });
    for await (const chunk of model.stream(request, new AbortController().signal, () => true))
      if (chunk.type !== 'response') chunks.push(chunk);
    return chunks;
  }

  it('is what the SDK reads: whole, cut, broken, ended by force', async () => {
    const bytes = FRAMES.map((frame) => encoder.encode(frame(ANSWER.join(''))));
    const lost = encoder.encode([...ANSWER.slice(0, 4), OVERLOADED, ...ANSWER.slice(4)].join(''));
    const cases = [...bytes, ...bytes.map((all) => all.subarray(0, all.length >> 1)), lost].flatMap((all) => [
      { all, end: (response: ServerResponse) => response.end() },
      { all, end: (response: ServerResponse) => response.destroy() },
    ]);
    for (const { all, end } of cases) {
      answerWith = async (response) => {
        response.writeHead(200, HEADERS);
        for (const part of torn(all, [17, 101, 350, 351, 352])) {
          response.write(part);
          await turn();
        }
        end(response);
      };
      expect(await byUs()).toEqual(await bySdkClient());
    }
  });
});

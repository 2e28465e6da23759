/** Bytes from the connection to the reader: what else `fetch` did for them, and what holds them back. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import type { ModelChunk } from '@bullpen/core';
import { aModelRequest, waitFor } from '@bullpen/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AnthropicModel, type AnthropicModelOptions } from './anthropic-model.js';

const request = aModelRequest();
const never = new AbortController().signal;
const sse = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const words = (text: string) =>
  sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
const START = sse({ type: 'message_start', message: { content: [], usage: { input_tokens: 1 } } });
const END =
  sse({ type: 'content_block_stop', index: 0 }) +
  sse({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }) +
  sse({ type: 'message_stop' });
const ANSWER = START + words('Grüße, ') + words('世界 👋') + END;
const EVENTS = { 'content-type': 'text/event-stream', 'request-id': 'req_1' };

describe('the body of an answer', () => {
  let server: Server;
  let answer: (response: ServerResponse, asked: IncomingMessage) => unknown;
  let origin: string;

  beforeEach(async () => {
    server = createServer(
      (asked, response) => void asked.resume().on('end', () => void answer(response, asked)),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const stream = (options: Partial<AnthropicModelOptions> = {}) =>
    new AnthropicModel({ apiKey: 'test', baseURL: origin, ...options }).stream(request, never, () => true);
  async function read(chunks = stream()): Promise<{ text: string; last: ModelChunk | undefined }> {
    const all: ModelChunk[] = [];
    for await (const chunk of chunks) all.push(chunk);
    return { text: all.map((chunk) => (chunk.type === 'text' ? chunk.text : '')).join(''), last: all.at(-1) };
  }
  const WHOLE = { text: 'Grüße, 世界 👋', last: { type: 'stop', stopReason: 'end_turn' } };

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => text],
  ])('is read when it comes as %s', async (encoding, encode) => {
    answer = (response) =>
      response.writeHead(200, { ...EVENTS, 'content-encoding': encoding }).end(encode(ANSWER));
    expect(await read()).toEqual(WHOLE);
  });

  it('comes piece by piece when it is compressed', async () => {
    const gzip = createGzip();
    answer = (response) => {
      gzip.pipe(response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' }));
      gzip.write(START + words('first'));
      gzip.flush();
    };
    for await (const chunk of stream()) if (chunk.type === 'text' && chunk.text === 'first') gzip.end(END);
    expect(gzip.writableFinished).toBe(true);
  });

  it('is read at the place that the endpoint sends to, to its end', async () => {
    answer = async (response, { url }) => {
      if (url === '/v1/messages') {
        response.writeHead(307, { ...EVENTS, location: '/elsewhere' }).end('data: {"type":"error"}\n\n');
        return;
      }
      response.writeHead(200, EVENTS);
      for (const part of ANSWER.match(/[^]{1,60}/g) ?? []) {
        response.write(part);
        await sleep(10);
      }
      response.end();
    };
    expect(await read()).toEqual(WHOLE);
  });

  it('is read when other headers came first', async () => {
    answer = (response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.writeHead(200, EVENTS).end(ANSWER);
    };
    expect(await read(stream({ idleByteMs: 2_000 }))).toEqual(WHOLE);
  });

  it('is an error when there is none', async () => {
    answer = (response) => response.writeHead(204, EVENTS).end();
    expect((await read()).last).toMatchObject({ error: { class: 'request', httpStatus: 204 } });
  });

  it('says what is wrong when an error comes as an event stream', async () => {
    answer = (response) =>
      response
        .writeHead(529, EVENTS)
        .end('{"type":"error","error":{"type":"overloaded_error","message":"Too much"}}');
    expect((await read()).last).toMatchObject({ error: { class: 'overload', message: 'Too much' } });
  });

  it('is held back at the provider while nobody reads', async () => {
    const piece = words('x'.repeat(10_000));
    let sent = 0;
    let isFull = false;
    answer = (response) => {
      response.writeHead(200, EVENTS).write(START);
      const more = (): void => {
        for (; sent < 3_000 && !isFull; sent += 1) isFull = !response.write(piece);
        if (sent === 3_000) response.end(END);
      };
      response.on('drain', () => {
        isFull = false;
        more();
      });
      more();
    };
    const chunks = stream();
    await chunks.next();
    let before = -1;
    // Nothing more is taken once what lies between is full.
    await waitFor(
      () => {
        const stands = isFull && before === sent;
        before = sent;
        return stands;
      },
      { what: 'a provider that waits' },
    );
    expect(sent).toBeLessThan(2_000);
    expect((await read(chunks)).last).toEqual({ type: 'stop', stopReason: 'end_turn' });
    expect(sent).toBe(3_000);
  });

  it('is taken for dead when it falls silent, also after its reader was slow', async () => {
    answer = (response) => response.writeHead(200, EVENTS).write(START + words('one'));
    const chunks = stream({ idleByteMs: 50 });
    for await (const chunk of chunks) {
      if (chunk.type === 'text') await sleep(120);
      if (chunk.type === 'error') expect(chunk.error.message).toContain('no byte for 50 ms');
    }
    expect.assertions(1);
  });

  it('goes on when the garbage is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let piece = 0;
    answer = async (response) => {
      response.writeHead(200, EVENTS).write(START);
      for (; piece < 5; piece += 1) {
        await sleep(20);
        collect();
        response.write(words(String(piece)));
      }
      response.end(END);
    };
    expect(await read()).toEqual({ ...WHOLE, text: '01234' });
  });
});

import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { builtInProfile, type ModelChunk, type ModelError, type ModelRequest } from '@bullpen/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AnthropicModel, type AnthropicModelOptions } from './anthropic-model.js';
import { toProviderRequest } from './to-provider-request.js';

const request: ModelRequest = {
  ...builtInProfile('claude-sonnet-5-5'),
  maxOutputTokens: 1_000,
  system: 'Be brief.',
  tools: [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } }],
  toolChoice: { type: 'auto' },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};
const never = new AbortController().signal;
const allowed = () => true;

/** One server-sent event as the API writes it. */
function sse(data: { type: string } & Record<string, unknown>, eol = '\n'): string {
  return `event: ${data.type}${eol}data: ${JSON.stringify(data)}${eol}${eol}`;
}

const start = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    content: [],
    usage: { input_tokens: 25, output_tokens: 1, cache_read_input_tokens: 900 },
  },
};
const open = (index: number, content_block: object) => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, inner: object) => ({ type: 'content_block_delta', index, delta: inner });
const close = (index: number) => ({ type: 'content_block_stop', index });
const end = (stop_reason: string | null, output_tokens = 42) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  usage: { output_tokens },
});
const stop = { type: 'message_stop' };
const json = (index: number, partial_json: string) =>
  delta(index, { type: 'input_json_delta', partial_json });
const words = (index: number, text: string) => delta(index, { type: 'text_delta', text });

/** An answer with text and a tool call, and what it must become. */
const answer = [
  start,
  { type: 'ping' },
  open(0, { type: 'text', text: '' }),
  words(0, 'Grüße, 世界 👋'),
  close(0),
  open(1, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
  json(1, ''),
  json(1, '{"path":'),
  json(1, '"a.txt"}'),
  close(1),
  end('tool_use'),
  stop,
];
const usage = {
  inputTokens: 25,
  outputTokens: 1,
  cacheReadTokens: 900,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};
const answerChunks: ModelChunk[] = [
  { type: 'response', providerRequestId: 'req_1', simulated: false },
  { type: 'usage', usage },
  { type: 'text', index: 0, text: 'Grüße, 世界 👋' },
  { type: 'block_end', index: 0 },
  { type: 'tool_call_start', index: 1, id: 'toolu_1', name: 'read_file' },
  { type: 'tool_call_delta', index: 1, json: '' },
  { type: 'tool_call_delta', index: 1, json: '{"path":' },
  { type: 'tool_call_delta', index: 1, json: '"a.txt"}' },
  { type: 'tool_call_end', index: 1 },
  { type: 'usage', usage: { ...usage, outputTokens: 42 } },
  { type: 'stop', stopReason: 'tool_use' },
];

async function collect(stream: AsyncIterable<ModelChunk>): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** The error that must be the last chunk, and the only one of its kind. */
function errorOf(chunks: readonly ModelChunk[]): ModelError {
  expect(chunks.filter((chunk) => chunk.type === 'error')).toHaveLength(1);
  const last = chunks.at(-1);
  if (last?.type !== 'error') throw new Error('the error is not the last chunk');
  return last.error;
}

function aResponse(pieces: readonly Uint8Array[]): Response {
  const headers = { 'content-type': 'text/event-stream', 'request-id': 'req_1' };
  return new Response(ReadableStream.from(pieces), { headers });
}

/** A model whose connection hands out exactly these pieces of a body. */
function modelReading(pieces: readonly (string | Uint8Array)[]): AnthropicModel {
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? new TextEncoder().encode(piece) : piece));
  return new AnthropicModel({ apiKey: 'test', fetch: () => Promise.resolve(aResponse(bytes)) });
}

describe('AnthropicModel reading a stream', () => {
  it('gives the response, the content, the usage and the stop in order', async () => {
    expect(
      await collect(modelReading(answer.map((event) => sse(event))).stream(request, never, allowed)),
    ).toEqual(answerChunks);
  });

  it.each(['\n', '\r\n', '\r'])(
    'does not care how bytes are split, with lines that end in %j',
    async (eol) => {
      const bytes = new TextEncoder().encode(answer.map((event) => sse(event, eol)).join(''));
      const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
      expect(await collect(modelReading(single).stream(request, never, allowed))).toEqual(answerChunks);
    },
  );

  it('keeps interleaved blocks apart by their index', async () => {
    const events = [
      start,
      open(0, { type: 'tool_use', id: 'toolu_a', name: 'read_file', input: {} }),
      open(1, { type: 'tool_use', id: 'toolu_b', name: 'read_file', input: {} }),
      json(1, '{"b"'),
      json(0, '{"a"'),
      json(1, ':1}'),
      close(1),
      json(0, ':2}'),
      close(0),
      end('tool_use'),
      stop,
    ];
    const chunks = await collect(
      modelReading(events.map((event) => sse(event))).stream(request, never, allowed),
    );
    const argumentsOf = (index: number) =>
      chunks
        .flatMap((chunk) => (chunk.type === 'tool_call_delta' && chunk.index === index ? [chunk.json] : []))
        .join('');
    expect([argumentsOf(0), argumentsOf(1)]).toEqual(['{"a":2}', '{"b":1}']);
    expect(chunks.filter((chunk) => chunk.type === 'tool_call_end').map((chunk) => chunk.index)).toEqual([
      1, 0,
    ]);
  });

  it('carries thinking with its signature, withheld thinking, and redacted thinking', async () => {
    const events = [
      open(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm.' }),
      delta(0, { type: 'signature_delta', signature: 'sig0' }),
      close(0),
      open(1, { type: 'thinking', thinking: '', signature: '' }),
      delta(1, { type: 'signature_delta', signature: 'sig1' }),
      close(1),
      open(2, { type: 'redacted_thinking', data: 'opaque' }),
      close(2),
    ];
    const chunks = await collect(
      modelReading(events.map((event) => sse(event))).stream(request, never, allowed),
    );
    expect(chunks.slice(1)).toEqual([
      { type: 'reasoning', index: 0, text: 'Hm.' },
      { type: 'reasoning', index: 0, text: '', signature: 'sig0' },
      { type: 'block_end', index: 0 },
      { type: 'reasoning', index: 1, text: '', signature: 'sig1' },
      { type: 'block_end', index: 1 },
      { type: 'reasoning', index: 2, text: '', redacted: 'opaque' },
      { type: 'block_end', index: 2 },
    ]);
  });

  it('ignores events, deltas and stop reasons that it does not know, and comments', async () => {
    const strange = [
      ': a comment\n\n',
      sse({ type: 'brand_new_event', index: 0 }),
      sse(delta(0, { type: 'brand_new_delta', words: 'x' })),
      sse(delta(7, { type: 'text_delta_of_nothing', text: 'x' })),
    ];
    const body = answer.map((event) => sse(event));
    const chunks = await collect(
      modelReading([...body.slice(0, 4), ...strange, ...body.slice(4)]).stream(request, never, allowed),
    );
    expect(chunks).toEqual(answerChunks);
    const odd = await collect(
      modelReading([sse(start), sse(end('some_new_reason')), sse(stop)]).stream(request, never, allowed),
    );
    expect(odd.at(-1)).toEqual({ type: 'stop', stopReason: 'some_new_reason' });
  });

  it('takes the last usage when it is reported twice, and stops once', async () => {
    const events = [start, end(null, 10), end('end_turn', 20), end('end_turn', 21), stop];
    const chunks = await collect(
      modelReading(events.map((event) => sse(event))).stream(request, never, allowed),
    );
    expect(chunks.findLast((chunk) => chunk.type === 'usage')).toEqual({
      type: 'usage',
      usage: { ...usage, outputTokens: 21 },
    });
    expect(chunks.filter((chunk) => chunk.type === 'stop')).toHaveLength(1);
  });

  it('just ends when the stream ends early, at whatever byte', async () => {
    const bytes = new TextEncoder().encode(answer.map((event) => sse(event)).join(''));
    let length = 0;
    const fetchSome = (): Promise<Response> => Promise.resolve(aResponse([bytes.slice(0, length)]));
    const model = new AnthropicModel({ apiKey: 'test', fetch: fetchSome });
    for (; length <= bytes.length; length += 1) {
      const chunks = await collect(model.stream(request, never, allowed));
      expect(chunks).toEqual(answerChunks.slice(0, chunks.length));
    }
  });

  it('gives one error of class overload for an error event, with the id of the request', async () => {
    const error = {
      type: 'error',
      error: { details: null, type: 'overloaded_error', message: 'Overloaded' },
    };
    for (const before of [[], answer.slice(0, 4), answer.slice(0, 8)]) {
      const body = [...before, error].map((event) => sse(event));
      const chunks = await collect(modelReading(body).stream(request, never, allowed));
      expect(chunks[0]).toMatchObject({ type: 'response' });
      expect(errorOf(chunks)).toEqual({
        class: 'overload',
        message: 'Overloaded',
        httpStatus: null,
        retryAfterMs: null,
        providerRequestId: 'req_1',
      });
    }
  });

  it('gives an error of class network for an event that is no JSON', async () => {
    const chunks = await collect(
      modelReading([sse(start), 'event: content_block_delta\ndata: {oops\n\n']).stream(
        request,
        never,
        allowed,
      ),
    );
    expect(errorOf(chunks).class).toBe('network');
  });
});

describe('AnthropicModel talking to a server', () => {
  let server: Server;
  let baseURL: string;
  let answerWith: (response: ServerResponse) => unknown;
  let received: { headers: IncomingHttpHeaders; url: string | undefined; body: string }[];

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part));
      incoming.on('end', () => {
        received.push({
          headers: incoming.headers,
          url: incoming.url,
          body: Buffer.concat(parts).toString(),
        });
        void answerWith(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => {
    received = [];
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const model = (options: Partial<AnthropicModelOptions> = {}) =>
    new AnthropicModel({ apiKey: 'test-key', baseURL, ...options });
  const begin = (response: ServerResponse, headers: Record<string, string> = {}) =>
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'request-id': 'req_1',
      ...headers,
    });
  const refuse =
    (status: number, type: string, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_9', ...headers })
        .end(JSON.stringify({ type: 'error', error: { type, message: `a ${type}` }, request_id: 'req_9' }));

  it('posts the mapped request once, with the key', async () => {
    answerWith = (response) => begin(response).end(answer.map((event) => sse(event)).join(''));
    expect(await collect(model().stream(request, never, allowed))).toEqual(answerChunks);
    expect(received).toHaveLength(1);
    expect(received[0]?.url).toBe('/v1/messages');
    expect(received[0]?.body).toBe(JSON.stringify(toProviderRequest(request)));
    expect(`${received[0]?.headers['x-api-key']} ${received[0]?.headers.authorization}`).toContain(
      'test-key',
    );
  });

  it('says when the answer is simulated', async () => {
    answerWith = (response) => begin(response, { 'x-simulated': 'true' }).end(sse(start));
    expect((await collect(model().stream(request, never, allowed)))[0]).toEqual({
      type: 'response',
      providerRequestId: 'req_1',
      simulated: true,
    });
  });

  it.each([
    [429, 'rate_limit_error', { 'retry-after': '30' }, 'rate_limit', 30_000],
    [429, 'rate_limit_error', { 'retry-after': 'Sun, 01 Nov 2026 12:00:10 GMT' }, 'rate_limit', 10_000],
    [529, 'overloaded_error', { 'x-should-retry': 'true' }, 'overload', null],
    [500, 'api_error', {}, 'network', null],
    [401, 'authentication_error', {}, 'authentication', null],
    [400, 'invalid_request_error', {}, 'request', null],
  ])(
    'gives one error and does not retry for status %i %s %j',
    async (status, type, headers, errorClass, retryAfterMs) => {
      answerWith = refuse(status, type, headers as Record<string, string>);
      const chunks = await collect(
        model({ now: () => new Date('2026-11-01T12:00:00Z') }).stream(request, never, allowed),
      );
      expect(chunks).toEqual([
        {
          type: 'error',
          error: {
            class: errorClass,
            message: `a ${type}`,
            httpStatus: status,
            retryAfterMs,
            providerRequestId: 'req_9',
          },
        },
      ]);
      expect(received).toHaveLength(1);
    },
  );

  it('explains an HTML page with status 200', async () => {
    answerWith = (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>');
    const error = errorOf(await collect(model().stream(request, never, allowed)));
    expect(error).toMatchObject({ class: 'request', httpStatus: 200, providerRequestId: null });
    expect(error.message).toMatch(/"text\/html".*without a request-id/);
  });

  it('gives an error of class network when the connection breaks in the middle', async () => {
    answerWith = (response) =>
      begin(response).write(sse(start) + sse(words(0, 'Hel')), () => response.destroy());
    const chunks = await collect(model().stream(request, never, allowed));
    expect(errorOf(chunks)).toMatchObject({ class: 'network', providerRequestId: 'req_1' });
  });

  it('gives an error of class network when nobody listens', async () => {
    const chunks = await collect(model({ baseURL: 'http://127.0.0.1:1' }).stream(request, never, allowed));
    expect(chunks).toHaveLength(1);
    expect(errorOf(chunks)).toMatchObject({
      class: 'network',
      message: expect.stringMatching(/ECONNREFUSED|bad port/),
    });
  });

  it('gives up on a stream in which only pings come', async () => {
    answerWith = (response) => {
      begin(response).write(sse(start));
      const pings = setInterval(() => response.write(sse({ type: 'ping' })), 10);
      response.on('close', () => clearInterval(pings));
    };
    const error = errorOf(
      await collect(model({ idleEventMs: 600, idleByteMs: 500 }).stream(request, never, allowed)),
    );
    expect(error).toMatchObject({
      class: 'network',
      message: expect.stringContaining('no event for 600 ms'),
    });
  });

  it('gives up on a stream in which no byte comes', async () => {
    answerWith = (response) => begin(response).write(sse(start));
    const error = errorOf(
      await collect(model({ idleEventMs: 5_000, idleByteMs: 100 }).stream(request, never, allowed)),
    );
    expect(error).toMatchObject({ class: 'network', message: expect.stringContaining('no byte for 100 ms') });
  });

  it('gives up when the headers do not come', async () => {
    answerWith = () => undefined;
    const error = errorOf(
      await collect(model({ idleEventMs: 100, idleByteMs: 5_000 }).stream(request, never, allowed)),
    );
    expect(error).toMatchObject({
      class: 'network',
      message: expect.stringContaining('no event for 100 ms'),
    });
  });

  it('does not take a slow reader for a dead stream', async () => {
    answerWith = (response) => begin(response).end(answer.map((event) => sse(event)).join(''));
    const chunks: ModelChunk[] = [];
    for await (const chunk of model({ idleEventMs: 400, idleByteMs: 400 }).stream(request, never, allowed)) {
      if (chunk.type === 'text') await sleep(600);
      chunks.push(chunk);
    }
    expect(chunks).toEqual(answerChunks);
  });

  it('aborts at once in the middle of a stream, and closes the connection', async () => {
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      answerWith = (response) => {
        response.on('close', resolve);
        begin(response).write(sse(start) + sse(words(0, 'Hello')));
      };
    });
    const chunks: ModelChunk[] = [];
    for await (const chunk of model().stream(request, abort.signal, allowed)) {
      chunks.push(chunk);
      if (chunk.type === 'text') abort.abort();
    }
    expect(errorOf(chunks)).toMatchObject({ class: 'aborted', providerRequestId: 'req_1' });
    await closed;
  });

  it('looks once more when there is a connection, and sends nothing when it may not', async () => {
    let looks = 0;
    const refuse = () => (looks += 1) === 0;
    const nowhere = model({ baseURL: 'http://127.0.0.1:1' });
    expect(errorOf(await collect(nowhere.stream(request, never, refuse))).class).toBe('network');
    expect(looks).toBe(0);
    expect(errorOf(await collect(model().stream(request, never, refuse)))).toMatchObject({
      class: 'aborted',
      message: expect.stringContaining('was not sent'),
    });
    expect([looks, received.length]).toEqual([1, 0]);
  });

  it('aborts while it waits for the headers', async () => {
    const abort = new AbortController();
    answerWith = () => abort.abort();
    expect(errorOf(await collect(model().stream(request, abort.signal, allowed))).class).toBe('aborted');
  });

  it('sends nothing when the signal was aborted before', async () => {
    const chunks = await collect(model().stream(request, AbortSignal.abort(), allowed));
    expect(chunks).toHaveLength(1);
    expect(errorOf(chunks).class).toBe('aborted');
    expect(received).toHaveLength(0);
  });

  it('closes the connection when the reader stops reading', async () => {
    const closed = new Promise<void>((resolve) => {
      answerWith = (response) => {
        response.on('close', resolve);
        begin(response).write(sse(start));
      };
    });
    for await (const chunk of model().stream(request, never, allowed)) if (chunk.type === 'usage') break;
    await closed;
  });

  it('keeps a complete answer when the connection breaks or hangs after it', async () => {
    const complete = answer
      .slice(0, -1)
      .map((event) => sse(event))
      .join('');
    answerWith = (response) => begin(response).write(complete, () => response.destroy());
    expect(await collect(model().stream(request, never, allowed))).toEqual(answerChunks);
    answerWith = (response) => begin(response).write(complete);
    expect(await collect(model().stream(request, never, allowed))).toEqual(answerChunks);
  });

  it('uses connections again after complete answers', async () => {
    const ports = new Set<number | undefined>();
    answerWith = (response) => {
      ports.add(response.req.socket.remotePort);
      begin(response).end(answer.map((event) => sse(event)).join(''));
    };
    const reused = model();
    for (let call = 0; call < 8; call += 1) await collect(reused.stream(request, never, allowed));
    // The client may open a second one while the first is still being put back.
    expect(ports.size).toBeLessThanOrEqual(3);
  });
});

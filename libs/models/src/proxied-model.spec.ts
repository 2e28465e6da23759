import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { builtInProfile, type ModelChunk, type ModelError, type ModelRequest } from '@bullpen/core';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AnthropicModel } from './anthropic-model.js';

const request: ModelRequest = {
  ...builtInProfile('claude-sonnet-5-5'),
  maxOutputTokens: 100,
  system: '',
  tools: [],
  toolChoice: { type: 'auto' },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
};
const never = new AbortController().signal;
const sse = (data: { type: string } & Record<string, unknown>) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const ANSWER = [
  { type: 'message_start', message: { content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  { type: 'message_stop' },
].map(sse);

/** A name that only the proxy knows. */
const ONLY_BY_PROXY = 'http://models.invalid:8443';

describe('a model behind a proxy', () => {
  let api: Server;
  let proxy: Server;
  const sockets = new Set<Socket | Duplex>();
  let log: string[];
  /** What the proxy says to a wish for a tunnel. */
  let tunnel: (asked: IncomingMessage) => string;
  let answer: (index: number) => Promise<void>;

  beforeEach(async () => {
    log = [];
    tunnel = () => '200 Connection established';
    answer = () => Promise.resolve();
    api = createServer((_, response) => {
      log.push('request');
      response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_1' });
      void (async () => {
        for (const [index, event] of ANSWER.entries()) {
          await answer(index);
          response.write(event);
        }
        response.end();
      })();
    });
    proxy = createServer();
    proxy.on('connect', (asked, client) => {
      sockets.add(client);
      const said = tunnel(asked);
      log.push(`CONNECT ${asked.url} ${said.slice(0, 3)}`);
      if (!said.startsWith('200')) {
        client.end(`HTTP/1.1 ${said}\r\n\r\n`);
        return;
      }
      const upstream = connect((api.address() as AddressInfo).port, '127.0.0.1', () => {
        client.write(`HTTP/1.1 ${said}\r\n\r\n`);
        client.pipe(upstream).pipe(client);
      });
      sockets.add(upstream);
      for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    });
    await Promise.all(
      [api, proxy].map(
        (server) => new Promise<void>((ready) => server.listen(0, '127.0.0.1', () => ready())),
      ),
    );
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    api.closeAllConnections();
    await Promise.all([api, proxy].map((server) => new Promise((closed) => server.close(closed))));
  });

  const model = (authorization: string | null = null, idleByteMs = 5_000) =>
    new AnthropicModel({
      apiKey: 'test',
      baseURL: ONLY_BY_PROXY,
      proxy: { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, authorization },
      idleByteMs,
    });
  async function collect(through: AnthropicModel, maySend = () => true): Promise<ModelChunk[]> {
    const chunks: ModelChunk[] = [];
    for await (const chunk of through.stream(request, never, maySend)) chunks.push(chunk);
    return chunks;
  }
  function errorOf(chunks: readonly ModelChunk[]): ModelError | null {
    const last = chunks.at(-1);
    return last?.type === 'error' ? last.error : null;
  }

  it('is asked through tunnels that are used again, and each request is looked at when there is one', async () => {
    const one = model();
    for (let call = 0; call < 6; call += 1) {
      const chunks = await collect(one, () => log.push('look') > 0);
      expect(chunks.at(-1)).toEqual({ type: 'stop', stopReason: 'end_turn' });
    }
    const isTunnel = (line: string) => line === 'CONNECT models.invalid:8443 200';
    expect(isTunnel(log[0] ?? '')).toBe(true);
    expect(log.filter((line) => !isTunnel(line))).toEqual(Array(6).fill(['look', 'request']).flat());
    // The client may open a second one while the first is still being put back.
    expect(log.filter(isTunnel).length).toBeLessThanOrEqual(3);
  });

  it('is sent nothing when the lease ran out while the tunnel was made', async () => {
    const error = errorOf(await collect(model(), () => false));
    expect(error).toMatchObject({ class: 'aborted', message: expect.stringContaining('was not sent') });
    expect(log).toEqual(['CONNECT models.invalid:8443 200']);
  });

  it('is taken for alive as long as bytes come through the tunnel, and no longer', async () => {
    const pieces: (() => void)[] = [];
    answer = (index) => (index === 0 ? Promise.resolve() : new Promise((go) => void pieces.push(go)));
    const feed = setInterval(() => pieces.shift()?.(), 60);
    expect(errorOf(await collect(model(null, 150)))).toBeNull();
    clearInterval(feed);
    expect(errorOf(await collect(model(null, 150)))).toMatchObject({
      class: 'network',
      message: expect.stringContaining('no byte for 150 ms'),
    });
  });

  it('gets the credentials of the proxy to the proxy, and nowhere else', async () => {
    const seen: unknown[] = [];
    tunnel = (asked) => {
      seen.push(asked.headers['proxy-authorization']);
      return '200 Connection established';
    };
    api.on('request', (asked: IncomingMessage) => seen.push(asked.headers['proxy-authorization']));
    await collect(model('Basic dXNlcjpwYXNz'));
    expect(seen).toEqual(['Basic dXNlcjpwYXNz', undefined]);
  });

  it.each([
    [
      '407 Proxy Authentication Required',
      'request',
      'the proxy answered 407; it requires a user and a password',
    ],
    ['403 Forbidden', 'network', 'the proxy answered 403'],
    ['502 Bad Gateway', 'network', 'the proxy answered 502'],
  ])('is not reached when the proxy says %s, which is told', async (said, errorClass, message) => {
    tunnel = () => said;
    const error = errorOf(await collect(model()));
    expect(error).toMatchObject({ class: errorClass });
    expect(error?.message).toMatch(
      /^Could not reach the model endpoint through the proxy http:\/\/127\.0\.0\.1:\d+: /,
    );
    expect(error?.message).toContain(message);
  });

  it('is not reached when nobody is at the address of the proxy, which is told', async () => {
    const lost = new AnthropicModel({
      apiKey: 'test',
      baseURL: ONLY_BY_PROXY,
      proxy: { url: 'http://127.0.0.1:1', authorization: null },
    });
    expect(errorOf(await collect(lost))).toMatchObject({
      class: 'network',
      message: expect.stringContaining('through the proxy http://127.0.0.1:1: connect ECONNREFUSED'),
    });
  });
});

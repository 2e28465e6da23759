import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { judgeAttempt, RETRY_DELAYS_MS } from './retry.js';
import { sendWebhook, type SendOptions, type SendResult } from './send.js';
import { newWebhookSecret } from './signature.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const [secret, older] = [newWebhookSecret(), newWebhookSecret()];
const body = '{"type":"ping","text":"ünïcode 🐂"}';
const send = (url: string, over: Partial<SendOptions> = {}, signal = new AbortController().signal) =>
  sendWebhook(
    { id: 'delivery_1', at: new Date(), body, url, secrets: [secret, older] },
    { allowed: ['127.0.0.0/8'], timeoutMs: 5_000, userAgent: 'Test/1', ...over },
    signal,
  );

describe('sending', () => {
  it('posts a body that the library of receivers verifies with either secret', async () => {
    const seen: { headers: IncomingHttpHeaders; text: string; method: string | undefined }[] = [];
    const port = await serve((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { headers, method } = request;
        seen.push({ headers, method, text: Buffer.concat(parts).toString() });
        response.writeHead(202).end('thanks');
      });
    });
    expect(await send(`http://127.0.0.1:${port}/hook?a=1`)).toEqual({
      ...{ status: 202, error: null, response: 'thanks', retryAfterMs: null },
    });
    const [{ headers, text, method } = { headers: {}, text: '', method: '' }] = seen;
    expect([method, text, headers['content-type']]).toEqual(['POST', body, 'application/json']);
    const signed = headers as Record<string, string>;
    for (const known of [secret, older])
      expect(new Webhook(known).verify(text, signed)).toEqual(JSON.parse(body));
    expect(() => new Webhook(newWebhookSecret()).verify(text, signed)).toThrow('No matching signature');
    expect(() => new Webhook(secret).verify(`${text} `, signed)).toThrow('No matching signature');
  });

  it('connects to the address that was checked, and asks for the name only once', async () => {
    const port = await serve((_, response) => response.end());
    const asked: string[] = [];
    const lookup = (host: string) => {
      asked.push(host);
      // A name that turns to another machine as soon as it was looked at.
      return Promise.resolve([
        { address: asked.length === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 } as const,
      ]);
    };
    expect((await send(`http://flips.test:${port}/`, { lookup })).status).toBe(200);
    expect(asked).toEqual(['flips.test']);
  });

  it('sends nothing to an address that is not public, also behind a name', async () => {
    let requests = 0;
    const port = await serve((_, response) => response.end(String((requests += 1))));
    const lookup = () => Promise.resolve([{ address: '127.0.0.1', family: 4 } as const]);
    for (const host of ['127.0.0.1', 'localhost', 'nice.test'])
      expect(
        await send(`http://${host}:${port}/`, { allowed: [], ...(host === 'nice.test' && { lookup }) }),
      ).toMatchObject({ status: null, error: expect.stringMatching(/not sent: .* is not a public address/) });
    expect(requests).toBe(0);
  });

  it('follows no redirect', async () => {
    let followed = false;
    const inside = await serve((_, response) => {
      followed = true;
      response.end();
    });
    const port = await serve((_, response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${inside}/` }).end(),
    );
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
      ...{ status: 307, error: 'redirects are not followed' },
    });
    expect(followed).toBe(false);
  });

  it('reads no more than the start of an answer, and waits no longer than it may', async () => {
    const endless = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(60_000)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const long = await send(`http://127.0.0.1:${endless}/`);
    expect([long.status, long.response?.length]).toEqual([200, 1_024]);

    const silent = await serve(() => undefined);
    expect(await send(`http://127.0.0.1:${silent}/`, { timeoutMs: 50 })).toMatchObject({
      ...{ status: null, error: 'no answer within 50 ms' },
    });
    const lookup = () => new Promise<never>(() => undefined);
    expect(await send('http://slow.test/', { timeoutMs: 50, lookup })).toMatchObject({
      error: 'no answer within 50 ms',
    });
  });

  it('tells what went wrong with a connection, and gives up when it is told to', async () => {
    const port = await serve((request) => request.socket.destroy());
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: null, error: 'socket hang up' });
    const refused = await send('http://127.0.0.1:1/');
    expect(refused.error).toContain('ECONNREFUSED');
    const stop = new AbortController();
    const silent = await serve(() => stop.abort(new Error('stopped')));
    await expect(send(`http://127.0.0.1:${silent}/`, {}, stop.signal)).rejects.toThrow('stopped');
  });
});

describe('what follows an attempt', () => {
  const result = (status: number | null, retryAfterMs: number | null = null): SendResult => ({
    ...{ status, retryAfterMs, error: null, response: null },
  });

  it('is the schedule of a day, with jitter, for everything but success and 410', () => {
    expect(judgeAttempt(result(204), 1, 0)).toEqual({ kind: 'delivered' });
    expect(judgeAttempt(result(410), 1, 0)).toEqual({ kind: 'gone' });
    for (const status of [null, 302, 400, 401, 404, 429, 500, 503])
      expect(judgeAttempt(result(status), 1, 0.5)).toEqual({ kind: 'retry', delayMs: 5_000 });
    expect(judgeAttempt(result(500), 2, 0)).toEqual({ kind: 'retry', delayMs: 240_000 });
    expect(judgeAttempt(result(500), 2, 1)).toEqual({ kind: 'retry', delayMs: 360_000 });
    expect(judgeAttempt(result(500), RETRY_DELAYS_MS.length + 1, 0)).toEqual({ kind: 'failed' });
    const hours = RETRY_DELAYS_MS.reduce((sum, ms) => sum + ms, 0) / 3_600_000;
    expect([hours > 24, hours < 30]).toEqual([true, true]);
  });

  it('is a longer wait when the receiver asks for one, within bounds', () => {
    expect(judgeAttempt(result(429, 60_000), 1, 0)).toEqual({ kind: 'retry', delayMs: 60_000 });
    expect(judgeAttempt(result(429, 1), 1, 0.5)).toEqual({ kind: 'retry', delayMs: 5_000 });
    expect(judgeAttempt(result(503, 1e12), 1, 0)).toEqual({ kind: 'retry', delayMs: 36_000_000 });
  });
});

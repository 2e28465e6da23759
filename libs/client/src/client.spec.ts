/** The client against a server that misbehaves in every way that networks know. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@bullpen/testing';
import { createClient } from './client.js';
import { ApiError, UnexpectedAnswer, Unreachable } from './errors.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

/** A server that gives these answers, one a request; the last one again and again. Returns the client and what was asked. */
async function against(...answers: Answer[]) {
  const asked: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const server = createServer((request, response) => {
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    request.resume();
    (answers.length > 1 ? answers.shift() : answers[0])?.(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const leftOut: string[] = [];
  return {
    client: createClient({
      baseUrl: `http://127.0.0.1:${port}/`,
      apiKey: 'bp_x',
      onLeftOut: (what) => leftOut.push(what),
    }),
    asked,
    leftOut,
    port,
    server,
  };
}
const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const problem = (status: number, code: string, headers = {}): Answer =>
  json({ type: 't', title: 't', status, detail: `because ${code}`, code, traceId: 'x' }, status, headers);
const hangUp: Answer = (request) => request.socket.destroy();
const report = {
  groupBy: 'day',
  splitBy: null,
  outcomes: [],
  dearest: [],
  data: [],
  total: {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    modelCalls: 0,
    costUsd: '0.00',
    unpricedCalls: 0,
    estimatedCalls: 0,
    simulated: false,
  },
};
const inbox = {
  id: 'inbox_1',
  taskId: 'task_01k6r8v0g9f3h8t7m2n4p6q8rs',
  text: 'x',
  createdAt: '2026-01-01T00:00:00.000Z',
  editedAt: null,
  withdrawnAt: null,
  deliveredAt: null,
};
const row = (seq: number) => ({
  type: 'error',
  data: { code: 'c', message: String(seq) },
  taskId: 't',
  rootId: 't',
  seq,
  cursor: `1-${seq}`,
  at: '2026-01-01T00:00:00.000Z',
});
const frame = (seq: number): string => `id: ${seq}\nevent: error\ndata: ${JSON.stringify(row(seq))}\n\n`;
const sse =
  (text: string, end: (response: ServerResponse) => void): Answer =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => end(response));
  };
const over: Answer = (_request, response) => response.writeHead(204).end();

describe('requests', () => {
  it('carry the key and the query', async () => {
    const { client, asked } = await against(json(report));
    expect(await client.usage.report({ groupBy: 'day' })).toEqual(report);
    expect(asked[0]).toMatchObject({
      method: 'GET',
      url: '/v1/usage?groupBy=day',
      headers: { authorization: 'Bearer bp_x' },
    });
  });

  it('are tried again with the same key after lost connections, 429, 503 and a request in flight', async () => {
    const { client, asked } = await against(
      hangUp,
      problem(409, 'idempotency_in_flight', { 'retry-after': '0' }),
      problem(503, 'database_unreachable', { 'retry-after': '0' }),
      json(inbox, 201),
    );
    expect(await client.tasks.sendMessage('task_1', 'x')).toEqual(inbox);
    const keys = new Set(asked.map(({ headers }) => headers['idempotency-key']));
    expect([asked.length, keys.size, [...keys][0]?.length]).toEqual([4, 1, 32]);
  });

  it('fail with the problem of the gateway, at once when nothing will change', async () => {
    const { client, asked } = await against(problem(422, 'unknown_agent'));
    const error = await client.tasks.create({ prompt: 'x' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: 'unknown_agent', status: 422, message: 'because unknown_agent' });
    expect(asked).toHaveLength(1);
  });

  it('say where nobody answered', async () => {
    const { port, server } = await against(over);
    server.close();
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 1 });
    const error = await client.system.info().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Unreachable);
    expect(String(error)).toContain(
      `http://127.0.0.1:${port}/v1/system: nothing listens there (ECONNREFUSED)`,
    );
  });

  it('tell an answer of something else apart', async () => {
    const { client } = await against(
      (_request, response) => response.writeHead(200).end('<html>'),
      json({ not: 'this' }),
      (_request, response) => response.writeHead(502).end('<html>'),
    );
    for (let n = 0; n < 3; n += 1)
      await expect(client.usage.report()).rejects.toBeInstanceOf(UnexpectedAnswer);
  });

  it('show readiness also when the gateway is not ready', async () => {
    const { client } = await against(json({ status: 'not_ready', checks: [] }, 503));
    expect(await client.system.ready()).toEqual({ status: 'not_ready', checks: [] });
  });

  it('end when no answer comes in time, also with a fetch that heeds no signal', async () => {
    const never = createClient({
      baseUrl: 'http://127.0.0.1:1',
      fetch: () => new Promise<Response>(() => undefined),
      retries: 1,
      timeoutMs: 50,
    });
    await expect(never.usage.report()).rejects.toThrow('no answer within 50 ms');
    await expect(never.usage.report({}, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
    const half: Answer = (_request, response) => response.writeHead(200).write('{"groupBy":');
    const { port, asked } = await against(half);
    const slow = createClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 1, timeoutMs: 200 });
    await expect(slow.usage.report()).rejects.toBeInstanceOf(Unreachable);
    expect(asked).toHaveLength(2);
  });

  it('stop with the signal', async () => {
    const { client } = await against(problem(503, 'not_ready', { 'retry-after': '9' }));
    await expect(client.usage.report({}, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });
});

describe('streams', () => {
  it('go on from the last id over lost connections, until there is nothing to come', async () => {
    const { client, asked } = await against(
      sse(`retry: 3000\n\n${frame(6)}${frame(7)}id: 8\nda`, (response) => response.destroy()),
      hangUp,
      problem(503, 'not_ready', { 'retry-after': '0' }),
      sse(frame(8), (response) => response.end()),
      over,
    );
    const seen: number[] = [];
    for await (const event of client.tasks.stream('task_1', { after: 5 }))
      if ('seq' in event) seen.push(event.seq);
    expect(seen).toEqual([6, 7, 8]);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual(['5', '7', '7', '7', '8']);
  });

  it('count as live once something has come, be it a heartbeat: a proxy may accept a connection and let nothing through', async () => {
    let beat = (): unknown => undefined;
    const accepted = new Promise<void>((resolve) => (beat = resolve));
    const { client } = await against((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      beat();
      beat = () => response.write(': still here\n\n');
    }, over);
    const stop = new AbortController();
    const states: boolean[] = [];
    const onConnection = (isThere: boolean): void => {
      states.push(isThere);
      stop.abort();
    };
    const reading = (async () => {
      for await (const _ of client.tasks.stream('task_1', { signal: stop.signal, onConnection }));
    })();
    await accepted;
    // The head of the answer has been sent, and would have been taken for life here.
    await client.tasks.get('task_1', { signal: AbortSignal.timeout(200) }).catch(() => undefined);
    expect(states).toEqual([]);
    beat();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    expect(states).toEqual([true]);
  });

  it('notice a gap, read what is missing page by page, and go on in order', async () => {
    const { client, asked } = await against(
      sse(`${frame(6)}${frame(7)}${frame(14)}${frame(15)}`, (response) => response.end()),
      json({ data: [row(8), row(9), row(10)], nextAfter: '10', hasMore: true }),
      hangUp,
      json({ data: [11, 12, 13, 14, 15].map(row), nextAfter: '15', hasMore: false }),
      over,
    );
    const seen: number[] = [];
    for await (const event of client.tasks.stream('t', { after: 5 }))
      if ('seq' in event) seen.push(event.seq);
    expect(seen).toEqual([6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
    expect(asked.slice(1, 4).map(({ url }) => url)).toEqual([
      '/v1/tasks/t/events?after=7&limit=200',
      '/v1/tasks/t/events?after=10&limit=200',
      '/v1/tasks/t/events?after=10&limit=200',
    ]);
  });

  it('come back to a gap that could not be read, and give nothing twice', async () => {
    const { client, asked } = await against(
      sse(`${frame(1)}${frame(4)}`, () => undefined),
      json({ data: [row(2)], nextAfter: '2', hasMore: true }),
      json({ not: 'a page' }),
      sse(`${frame(2)}${frame(3)}${frame(3)}${frame(4)}`, (response) => response.end()),
      over,
    );
    const seen: number[] = [];
    for await (const event of client.tasks.stream('t')) if ('seq' in event) seen.push(event.seq);
    expect(seen).toEqual([1, 2, 3, 4]);
    expect(asked[3]?.headers['last-event-id']).toBe('1');
  });

  it('go on after a gap that the record has as well, and say so once', async () => {
    const { client, leftOut } = await against(
      sse(frame(3), (response) => response.end()),
      json({ data: [row(2), row(3)], nextAfter: '3', hasMore: false }),
      json({ data: [], nextAfter: null, hasMore: false }),
      sse(`${frame(5)}`, (response) => response.end()),
      json({ data: [row(5)], nextAfter: null, hasMore: false }),
      over,
    );
    const seen: number[] = [];
    for await (const event of client.tasks.stream('t', { after: 1 }))
      if ('seq' in event) seen.push(event.seq);
    expect(seen).toEqual([2, 3, 5]);
    expect(leftOut).toEqual(['events of t before its 5th: they are not stored']);
  });

  it('of trees keep the events of each task complete and in order, whatever order their transactions had', async () => {
    const of = (taskId: string, seq: number, cursor: string): string =>
      `id: ${cursor}\ndata: ${JSON.stringify({ ...row(seq), taskId, cursor })}\n\n`;
    const { client, asked } = await against(
      sse(
        `${of('t', 1, '1-1')}${of('child', 2, '2-9')}${of('child', 1, '3-4')}${of('child', 3, '4-1')}`,
        (response) => response.end(),
      ),
      json({ data: [{ ...row(1), taskId: 'child', cursor: '3-4' }], nextAfter: '1', hasMore: false }),
      over,
    );
    const seen: string[] = [];
    for await (const event of client.tasks.stream('t', { tree: true }))
      if ('seq' in event) seen.push(`${event.taskId} ${event.seq}`);
    expect(seen).toEqual(['t 1', 'child 1', 'child 2', 'child 3']);
    expect(asked.map(({ url }) => url)).toEqual([
      '/v1/tasks/t/stream?tree=true',
      '/v1/tasks/child/events?after=0&limit=200',
      '/v1/tasks/t/stream?tree=true',
    ]);
    expect(asked[2]?.headers['last-event-id']).toBe('4-1');
  });

  it('of many tasks lose nothing of a task whose beginning they did not see', async () => {
    const of = (seq: number, cursor: string): string =>
      `id: ${cursor}\ndata: ${JSON.stringify({ ...row(seq), cursor })}\n\n`;
    const { client } = await against(
      sse(`${of(8, '5-2')}${of(7, '6-1')}${of(9, '7-1')}${of(9, '7-1')}`, (response) => response.end()),
      over,
    );
    const seen: number[] = [];
    for await (const event of client.events.stream({ after: '4-1' }))
      if ('seq' in event) seen.push(event.seq);
    expect(seen).toEqual([8, 7, 9]);
  });

  it('take a damaged message for a lost connection, and give up when nothing else comes', async () => {
    const { client, asked } = await against(
      sse(`${frame(1)}id: 2\ndata: {"type":"err\n\n${frame(3)}`, () => undefined),
      sse(`${frame(2)}${frame(3)}`, (response) => response.end()),
      over,
    );
    const seen: number[] = [];
    for await (const event of client.tasks.stream('t')) if ('seq' in event) seen.push(event.seq);
    expect(seen).toEqual([1, 2, 3]);
    expect(asked[1]?.headers['last-event-id']).toBe('1');
    const broken = await against(sse('data: <html>\n\n', () => undefined));
    await expect(broken.client.tasks.stream('t', { maxOfflineMs: 300 }).next()).rejects.toBeInstanceOf(
      UnexpectedAnswer,
    );
  });

  it('do not take the place of a delta for their own', async () => {
    const delta = { type: 'message.delta', data: { messageId: 'm', offset: 0, text: 'Hi' } };
    const live = JSON.stringify({ ...delta, taskId: 't', rootId: 't', afterSeq: 9 });
    const { client, asked } = await against(
      sse(`${frame(1)}id: 9\ndata: ${live}\n\n`, (response) => response.destroy()),
      over,
    );
    for await (const event of client.tasks.stream('t')) expect(event.taskId).toBe('t');
    expect(asked[1]?.headers['last-event-id']).toBe('1');
  });

  it('give deltas, and pass over events that this version does not know, but say so', async () => {
    const delta = {
      type: 'message.delta',
      data: { messageId: 'm', offset: 0, text: 'Hi' },
      taskId: 't',
      rootId: 't',
      afterSeq: 1,
    };
    const unknown = { ...row(2), type: 'from.the.future' };
    const { client, asked, leftOut } = await against(
      sse(
        `${frame(1)}id: 1\ndata: ${JSON.stringify(delta)}\n\nid: 2\ndata: ${JSON.stringify(unknown)}\n\n`,
        (response) => response.end(),
      ),
      over,
    );
    const seen = [];
    for await (const event of client.tasks.stream('t')) seen.push(event.type);
    expect(seen).toEqual(['error', 'message.delta']);
    expect(leftOut).toEqual(['events of a kind that this version does not know: from.the.future']);
    expect(asked[1]?.headers['last-event-id']).toBe('2');
  });

  it('fail when the gateway refuses, and hang up when the reader stops', async () => {
    const { client } = await against(problem(404, 'not_found'));
    await expect(client.tasks.stream('t').next()).rejects.toMatchObject({ code: 'not_found' });
    let closed = false;
    const open = await against((request, response) => {
      request.socket.on('close', () => (closed = true));
      response.writeHead(200).write(frame(1));
    });
    for await (const _event of open.client.tasks.stream('t')) break;
    await waitFor(() => closed, { what: 'the connection to close' });
  });

  it('give up after the time that the caller allows', async () => {
    const { client } = await against(hangUp);
    await expect(client.tasks.stream('t', { maxOfflineMs: 300 }).next()).rejects.toBeInstanceOf(Unreachable);
  });
});

/** Live events: every row once, in order, over any number of connections. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@bullpen/client';
import type { EventPage, TaskView } from '@bullpen/contracts';
import type { EventBus } from '@bullpen/queue';
import { untilEventsShow, waitFor } from '@bullpen/testing';
import { openStream } from '../testing/sse.js';
import {
  appendEvent,
  endTask,
  problemFrom,
  startTestGateway,
  type TestGateway,
} from '../testing/test-gateway.js';

let bullpen: TestGateway;
let busIsDeaf = false;
const deafenable = (bus: EventBus): EventBus => ({
  publish: (message) => bus.publish(message),
  subscribe: (listener, onGap) =>
    bus.subscribe((message) => (busIsDeaf ? undefined : listener(message)), onGap),
  close: () => bus.close(),
});
beforeAll(async () => {
  bullpen = await startTestGateway({ env: { MAX_STREAMS: '3' }, wrapBus: deafenable });
});
afterAll(() => bullpen?.close());

const create = async (): Promise<TaskView> =>
  (await (await bullpen.post('/v1/tasks', { prompt: 'watch me' })).json()) as TaskView;
const note = (taskId: string, message: string, options = {}) =>
  appendEvent(bullpen, taskId, { type: 'error', data: { code: 'note', message } }, options);
const open = (path: string, headers: Record<string, string> = {}) =>
  openStream(`${bullpen.url}${path}`, { authorization: `Bearer ${bullpen.key}`, ...headers });

describe('the stream of a task', () => {
  it('sends what was, then what comes, and ends with the task', async () => {
    const { id } = await create();
    const stream = open(`/v1/tasks/${id}/stream`);
    const response = await stream.response;
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('x-request-id')).toBeTruthy();
    expect((await stream.take(2)).map((m) => [m.id, m.event])).toEqual([
      ['1', 'task.created'],
      ['2', 'message.user'],
    ]);
    await note(id, 'three');
    expect(await stream.next()).toMatchObject({ id: '3', data: { seq: 3, data: { message: 'three' } } });
    await endTask(bullpen, id);
    expect((await stream.rest()).map(({ id: eventId }) => eventId)).toEqual(['4']);
    expect(stream.comments[0]).toBe('retry: 3000');
  });

  it.each(['gzip, br, zstd', 'gzip', '*'])(
    'hands over one small event at once, also where its reader takes %s: it is never compressed',
    async (accepted) => {
      const { id } = await create();
      for (const path of [`/v1/tasks/${id}/stream`, `/v1/tasks/${id}/stream?tree=true`]) {
        const stream = open(path, { 'accept-encoding': accepted });
        const { headers } = await stream.response;
        expect([headers.get('content-encoding'), headers.get('cache-control')]).toEqual([
          ...[null, 'no-cache, no-transform'],
        ]);
        // Whatever gathers bytes would hold this one back: nothing follows it.
        expect(await stream.next()).toMatchObject({ event: 'task.created' });
        stream.close();
      }
    },
  );

  it.each([
    ['a task', '', '999999999'],
    ['a tree', '?tree=true', '9000000000000-1'],
  ])(
    'of %s is none the worse for a reader that comes with an id from the future',
    async (_, query, lastId) => {
      const { id } = await create();
      // The rows of a tree are readable once all older transactions of the cluster have ended; until then they are yet to come.
      const first = open(`/v1/tasks/${id}/stream${query}`);
      await first.take(2);
      first.close();
      const future = open(`/v1/tasks/${id}/stream${query}`, { 'last-event-id': lastId });
      await future.response;
      const stream = open(`/v1/tasks/${id}/stream${query}`);
      expect((await stream.take(2)).map(({ data }) => data.seq)).toEqual([1, 2]);
      await note(id, 'three');
      await endTask(bullpen, id);
      expect((await stream.rest()).map(({ data }) => data.seq)).toEqual([3, 4]);
      expect((await future.rest()).map(({ data }) => data.seq)).toEqual([3, 4]);
    },
  );

  it('answers 204 when there is nothing to come', async () => {
    const { id } = await create();
    await endTask(bullpen, id);
    expect((await bullpen.call(`/v1/tasks/${id}/stream?after=3`)).status).toBe(204);
    expect((await bullpen.call(`/v1/tasks/${id}/stream`, { headers: { 'last-event-id': '3' } })).status).toBe(
      204,
    );
    expect((await open(`/v1/tasks/${id}/stream?after=2`).rest()).map((m) => m.id)).toEqual(['3']);
  });

  it.each([
    ['alone', false],
    ['beside one that stays', true],
  ])('has no gap and no repeat over reconnects while rows come fast, %s', async (_, isBeside) => {
    const { id } = await create();
    const other = isBeside ? open(`/v1/tasks/${id}/stream`) : null;
    const beside = other?.rest();
    const total = 300;
    const writer = (async () => {
      for (let n = 0; n < total; n += 1) await note(id, String(n), { silent: n % 3 === 0 });
      await endTask(bullpen, id);
    })();
    const seen: number[] = [];
    let lastId = '0';
    for (let ended = false; !ended;) {
      // `after` stays as it was at first, as a browser repeats its URL: the header must win.
      const stream = open(`/v1/tasks/${id}/stream?after=0`, { 'last-event-id': lastId });
      if ((await stream.response).status === 204) break;
      const some = await stream.take(1 + Math.floor(Math.random() * 60));
      for (const message of some) {
        seen.push(Number(message.id));
        lastId = message.id;
        ended = message.event === 'task.status_changed';
      }
      stream.close();
    }
    await writer;
    const all = Array.from({ length: total + 3 }, (_none, index) => index + 1);
    expect(seen).toEqual(all);
    if (beside !== undefined) expect((await beside).map((message) => Number(message.id))).toEqual(all);
  });

  it('hands deltas on with the id of the last row', async () => {
    const { id } = await create();
    const stream = open(`/v1/tasks/${id}/stream`);
    await stream.take(2);
    // The watcher joins the tail a moment after its last row.
    const delta = {
      type: 'message.delta',
      data: { messageId: 'm', offset: 0, text: 'He' },
      taskId: id,
      rootId: id,
      afterSeq: 2,
    } as const;
    const timer = setInterval(() => bullpen.bus.publish({ kind: 'delta', tenantId: 'default', delta }), 100);
    const message = await stream.next();
    clearInterval(timer);
    expect(message).toMatchObject({ id: '2', event: 'message.delta', data: { data: { text: 'He' } } });
    stream.close();
  });

  it.each([
    ['a task', ''],
    ['a tree', '?tree=true'],
  ])('of %s hands no delta on before the row that it comes after', async (_, query) => {
    const { id } = await create();
    const stream = open(`/v1/tasks/${id}/stream${query}`);
    await stream.take(2);
    const say = (text: string, afterSeq: number): void => {
      const data = { messageId: 'm', offset: 0, text };
      const delta = { type: 'message.delta', data, taskId: id, rootId: id, afterSeq } as const;
      bullpen.bus.publish({ kind: 'delta', tenantId: 'default', delta });
    };
    const next = async (): Promise<unknown> => {
      for (;;) {
        const message = await stream.next();
        const { text } = (message?.data.data ?? {}) as { text?: string };
        if (text !== 'joined') return text ?? message?.event;
      }
    };
    const timer = setInterval(() => say('joined', 2), 100);
    await stream.next();
    clearInterval(timer);
    say('early', 3);
    say('last', 2);
    // Both are there when the second one is.
    expect(await next()).toBe('last');
    await note(id, 'three');
    expect([await next(), await next()]).toEqual(['error', 'early']);
    stream.close();
  });

  it('goes on when the bus is silent', async () => {
    const { id } = await create();
    const stream = open(`/v1/tasks/${id}/stream?after=2`);
    await note(id, 'heard');
    expect(await stream.next()).toMatchObject({ id: '3' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    busIsDeaf = true;
    await note(id, 'unheard');
    expect(await stream.next()).toMatchObject({ id: '4' });
    busIsDeaf = false;
    stream.close();
  });

  it('limits the streams of a key, and gives the places back', async () => {
    const { id } = await create();
    const path = `/v1/tasks/${id}/stream`;
    const streams = [open(path), open(path), open(path)];
    await Promise.all(streams.map(({ response }) => response));
    expect(await problemFrom(await bullpen.call(path))).toMatchObject({
      status: 429,
      code: 'too_many_streams',
    });
    streams.forEach((stream) => stream.close());
    const isFree = async () => {
      const again = open(path);
      const { status } = await again.response;
      again.close();
      return status === 200;
    };
    await waitFor(isFree, { what: 'the places to be given back' });
  });

  it('gives the places back of readers that left before their stream began', async () => {
    const { id } = await create();
    for (let n = 0; n < 20; n += 1) {
      const socket = connect(bullpen.port, '127.0.0.1');
      await new Promise<void>((resolve) => socket.once('connect', resolve));
      const head = `GET /v1/tasks/${id}/stream HTTP/1.1\r\nHost: 127.0.0.1:${bullpen.port}\r\nAuthorization: Bearer ${bullpen.key}\r\n\r\n`;
      await new Promise((resolve) => socket.write(head, resolve));
      await new Promise((resolve) => setTimeout(resolve, n % 5));
      socket.destroy();
    }
    const isFree = async (): Promise<boolean> => {
      const again = open(`/v1/tasks/${id}/stream`);
      const { status } = await again.response;
      again.close();
      return status === 200;
    };
    await waitFor(isFree, { what: 'free places' });
  });

  it('cuts a reader that does not read, and holds no more than a bound for it', async () => {
    const { id } = await create();
    const socket = connect(bullpen.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    socket.write(
      `GET /v1/tasks/${id}/stream?after=2 HTTP/1.1\r\nHost: 127.0.0.1:${bullpen.port}\r\nAuthorization: Bearer ${bullpen.key}\r\n\r\n`,
    );
    await new Promise<void>((resolve) => socket.once('data', () => resolve()));
    socket.pause();
    const port = socket.localPort ?? 0;
    const isOpen = async () => {
      const { rows } = await bullpen.pool.query<{ seq: number }>(
        `with more as (
           insert into ui_events (task_id, seq, root_id, tenant_id, type, data)
           select t.id, t.event_seq + n, t.root_id, t.tenant_id, 'error',
             json_build_object('code', 'big', 'message', repeat('x', 50000))
           from tasks t, generate_series(1, 50) n where t.id = $1)
         update tasks set event_seq = event_seq + 50 where id = $1 returning event_seq as seq`,
        [id],
      );
      bullpen.bus.publish({
        kind: 'rows',
        tenantId: 'default',
        rootId: id,
        taskId: id,
        seq: rows[0]?.seq ?? 0,
      });
      await new Promise((resolve) => setTimeout(resolve, 50));
      return bullpen.openPorts().includes(port);
    };
    let rounds = 0;
    while ((await isOpen()) && rounds < 40) rounds += 1;
    socket.destroy();
    expect(rounds).toBeLessThan(40);
  });

  it('refuses an id that is none of its kind', async () => {
    const { id } = await create();
    for (const path of [
      `/v1/tasks/${id}/stream?after=1-2`,
      `/v1/tasks/${id}/stream?after=x`,
      `/v1/tasks/${id}/stream?tree=true&after=5`,
      '/v1/stream?after=7',
    ])
      expect(await problemFrom(await bullpen.call(path))).toMatchObject({
        status: 400,
        code: 'invalid_request',
      });
    expect(
      (await bullpen.call(`/v1/tasks/${id}/stream`, { headers: { 'last-event-id': 'nonsense' } })).status,
    ).toBe(400);
  });
});

describe('the stream of a tree', () => {
  it('carries the events of all tasks of the tree, resumes by cursor, and ends with the root', async () => {
    const root = await create();
    const child = await addChild(root.id);
    const stream = open(`/v1/tasks/${child}/stream?tree=true`);
    const first = await stream.take(2);
    expect(first.map(({ id, data }) => id === data.cursor)).toEqual([true, true]);
    await note(child, 'from the child');
    const third = await stream.next();
    expect(third?.data.taskId).toBe(child);
    stream.close();
    await note(root.id, 'from the root');
    const resumed = open(`/v1/tasks/${root.id}/stream?tree=true`, { 'last-event-id': third?.id ?? '' });
    expect((await resumed.next())?.data.taskId).toBe(root.id);
    await endTask(bullpen, child);
    await endTask(bullpen, root.id);
    const rest = await resumed.rest();
    expect(rest.map(({ data }) => data.taskId)).toEqual([child, root.id]);
    const after = rest.at(-1)?.id ?? '';
    expect((await bullpen.call(`/v1/tasks/${root.id}/stream?tree=true&after=${after}`)).status).toBe(204);
  });

  it('misses no row of a transaction that began before and ends after others', async () => {
    const root = await create();
    const child = await addChild(root.id);
    const slow = await bullpen.pool.connect();
    await slow.query('begin');
    await slow.query(
      `insert into ui_events (task_id, seq, root_id, tenant_id, type, data) values ($1, 1, $2, 'default', 'error', '{"code":"note","message":"slow"}')`,
      [child, root.id],
    );
    await note(root.id, 'fast');
    const stream = open(`/v1/tasks/${root.id}/stream?tree=true`);
    const seen = [...(await stream.take(2))];
    const next = stream.next();
    const early = await Promise.race([
      next,
      new Promise((resolve) => setTimeout(() => resolve('nothing yet'), 300)),
    ]);
    expect(early).toBe('nothing yet');
    await slow.query('commit');
    slow.release();
    seen.push(...[await next, await stream.next()].flatMap((message) => message ?? []));
    expect(
      seen
        .slice(2)
        .map(({ data }) => (data['data'] as { message: string }).message)
        .sort(),
    ).toEqual(['fast', 'slow']);
    stream.close();
  });
});

describe('the stream of all tasks', () => {
  it('goes on from where it began when it broke before anything happened', async () => {
    const opened: AbortController[] = [];
    let id = '';
    const brittleFetch: typeof fetch = async (input, init) => {
      const cut = new AbortController();
      if (opened.length === 1) ({ id } = await create());
      const response = await fetch(input, { ...init, signal: cut.signal });
      opened.push(cut);
      return response;
    };
    const client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key, fetch: brittleFetch });
    const events = client.events.stream();
    const next = events.next();
    await waitFor(() => opened.length === 1, { what: 'the stream' });
    opened[0]?.abort();
    expect((await next).value).toMatchObject({ taskId: id, seq: 1 });
    opened.forEach((cut) => cut.abort());
    await events.return();
  });

  it('starts now, and shows no other tenant', async () => {
    const stream = open('/v1/stream');
    await stream.response;
    await bullpen.call('/v1/tasks', {
      method: 'POST',
      key: bullpen.otherKey,
      body: '{"prompt":"foreign"}',
      headers: { 'content-type': 'application/json' },
    });
    const { id } = await create();
    expect((await stream.take(2)).map(({ data }) => data.taskId)).toEqual([id, id]);
    stream.close();
  });
});

describe('pages of events', () => {
  it('reads a task by sequence number and a tree by cursor', async () => {
    const { id } = await create();
    await note(id, 'three');
    const page = async (path: string) => (await (await bullpen.call(path)).json()) as EventPage;
    expect(await page(`/v1/tasks/${id}/events?after=1&limit=1`)).toMatchObject({
      data: [{ seq: 2 }],
      nextAfter: '2',
      hasMore: true,
    });
    await untilEventsShow(bullpen.pool);
    const first = await page(`/v1/tasks/${id}/events?tree=true&limit=2`);
    const second = await page(`/v1/tasks/${id}/events?tree=true&after=${first.nextAfter}`);
    expect([...first.data, ...second.data].map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect((await page(`/v1/tasks/${id}/history/ui?after=2`)).data.map(({ seq }) => seq)).toEqual([3]);
  });
});

async function addChild(rootId: string): Promise<string> {
  const child = (await create()).id;
  await bullpen.pool.query('delete from ui_events where task_id = $1', [child]);
  await bullpen.pool.query(
    'update tasks set root_id = $2, parent_id = $2, depth = 1, event_seq = 0 where id = $1',
    [child, rootId],
  );
  return child;
}

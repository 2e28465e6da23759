/** Idempotency-Key: one effect, one answer. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TaskView } from '@bullpen/contracts';
import {
  endTask,
  problemFrom,
  sendAndDie,
  startTestGateway,
  type TestGateway,
} from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const create = (key: string, body: object = { prompt: 'once' }) =>
  bullpen.post('/v1/tasks', body, { 'idempotency-key': key });
const countOf = (prompt: string) => bullpen.prisma.task.count({ where: { prompt } });

describe('Idempotency-Key', () => {
  it('gives the same answer again, even when the task has moved on', async () => {
    const first = await create('again', { prompt: 'the same', priority: 1 });
    const text = await first.text();
    await endTask(bullpen, (JSON.parse(text) as TaskView).id);
    const second = await create('again', { priority: 1, prompt: 'the same' });
    expect([second.status, JSON.parse(await second.text())]).toEqual([201, JSON.parse(text)]);
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await countOf('the same')).toBe(1);
  });

  it('makes one task of many requests at the same time', async () => {
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => create('race', { prompt: 'raced' })),
    );
    expect(await countOf('raced')).toBe(1);
    const statuses = new Set(responses.map(({ status }) => status));
    expect([...statuses].every((status) => status === 201 || status === 409)).toBe(true);
    const ids = await Promise.all(
      responses.filter(({ status }) => status === 201).map(async (r) => ((await r.json()) as TaskView).id),
    );
    expect(new Set(ids).size).toBe(1);
    for (const response of responses.filter(({ status }) => status === 409))
      expect(await problemFrom(response)).toMatchObject({ code: 'idempotency_in_flight' });
  });

  it('refuses the key for another body', async () => {
    await create('body', { prompt: 'one' });
    const response = await create('body', { prompt: 'two' });
    expect(await problemFrom(response)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(await countOf('two')).toBe(0);
  });

  it('keeps the keys of routes and tenants apart', async () => {
    const { id } = (await (await create('apart')).json()) as TaskView;
    expect(
      (await bullpen.post(`/v1/tasks/${id}/messages`, { text: 'x' }, { 'idempotency-key': 'apart' })).status,
    ).toBe(201);
    const other = await bullpen.call('/v1/tasks', {
      method: 'POST',
      key: bullpen.otherKey,
      body: '{"prompt":"once"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'apart' },
    });
    expect([other.status, other.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it('sends a message once', async () => {
    const { id } = (await (await create('inbox-task')).json()) as TaskView;
    const send = () =>
      bullpen.post(`/v1/tasks/${id}/messages`, { text: 'once' }, { 'idempotency-key': 'm1' });
    const [first, second] = [await (await send()).json(), await (await send()).json()];
    expect(second).toEqual(first);
    expect(await bullpen.prisma.inboxMessage.count({ where: { taskId: id } })).toBe(1);
  });

  it.each(['queue', 'interrupt'])(
    'sends a message once (%s) when the process dies between its commit and the answer',
    async (strategy) => {
      const { id } = (await (await create(`inbox-crash-${strategy}`)).json()) as TaskView;
      const send = () =>
        bullpen.post(
          `/v1/tasks/${id}/messages`,
          { text: 'once', strategy },
          { 'idempotency-key': `m-${strategy}` },
        );
      expect((await sendAndDie(bullpen, 'text', send)).status).toBe(500);

      const again = await send();
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      expect(await again.json()).toMatchObject({ text: 'once' });
      expect(await bullpen.prisma.inboxMessage.count({ where: { taskId: id } })).toBe(1);
    },
  );

  it('frees the key of a request that was refused', async () => {
    expect((await create('refused', { prompt: 'x', agent: 'nobody' })).status).toBe(422);
    expect((await create('refused', { prompt: 'works now' })).status).toBe(201);
  });

  it('replays a task whose answer was never sent, because the process died after the commit', async () => {
    const { id } = (await (await create('crashed', { prompt: 'crashed' })).json()) as TaskView;
    // What the row holds between the commit and the answer.
    await bullpen.prisma.idempotencyKey.updateMany({
      where: { location: `/v1/tasks/${id}` },
      data: { response: { committedTaskId: id } },
    });
    const replay = await create('crashed', { prompt: 'crashed' });
    expect([replay.status, replay.headers.get('location'), ((await replay.json()) as TaskView).id]).toEqual([
      201,
      `/v1/tasks/${id}`,
      id,
    ]);
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(await countOf('crashed')).toBe(1);
  });

  it('lets a later request take over from one that died in flight, but only after a minute', async () => {
    await create('dead', { prompt: 'dead' });
    const row = await bullpen.prisma.idempotencyKey.findFirstOrThrow({ orderBy: { createdAt: 'desc' } });
    const key = { tenantId_key: { tenantId: row.tenantId, key: row.key } };
    await bullpen.prisma.idempotencyKey.update({ where: key, data: { status: null } });
    expect((await create('dead', { prompt: 'dead' })).status).toBe(409);
    await bullpen.prisma.idempotencyKey.update({
      where: key,
      data: { createdAt: new Date(Date.now() - 61_000) },
    });
    expect((await create('dead', { prompt: 'dead' })).status).toBe(201);
  });

  it('refuses a key that is no visible ASCII, or too long', async () => {
    for (const key of ['a b', 'x'.repeat(201)])
      expect(await problemFrom(await create(key))).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

/** Speaking to tasks over HTTP: the inbox, the strategies, taking back. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiMessagePage, EventPage, InboxMessagePage, TaskView } from '@bullpen/contracts';
import { emptyStep, type Lease, type Step } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { PostgresTaskStore } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let store: PostgresTaskStore;
beforeAll(async () => {
  bullpen = await startTestGateway();
  store = new PostgresTaskStore({ pool: bullpen.pool, leaseMs: 60_000, newId });
});
afterAll(() => bullpen?.close());

const read = async <T>(path: string, schema: { parse(value: unknown): T }): Promise<T> =>
  schema.parse(await (await bullpen.call(path)).json());
const create = async (body: object = {}): Promise<string> => {
  const response = await bullpen.post('/v1/tasks', { prompt: 'Say hello', ...body });
  return TaskView.parse(await response.json()).id;
};
const change = (path: string, method: 'PATCH' | 'DELETE', body?: object) =>
  bullpen.call(path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const send = async (id: string, text: string, strategy?: string) =>
  bullpen.post(`/v1/tasks/${id}/messages`, { text, ...(strategy && { strategy }) });
const sent = async (id: string, text: string): Promise<string> =>
  ((await (await send(id, text)).json()) as { id: string }).id;
const codeOf = async (response: Response) => {
  const { status, code } = await problemFrom(response);
  return [status, code];
};
const claim = async (id: string): Promise<Lease> => {
  const { rows } = await bullpen.pool.query<{ wake: number }>('SELECT wake FROM tasks WHERE id = $1', [id]);
  const lease = await store.claim(id, rows[0]?.wake ?? 0, 'worker_1');
  if (!lease) throw new Error(`nothing to claim: ${id}`);
  return lease;
};
const commit = (lease: Lease, step: Partial<Step>) => store.commit(lease, { ...emptyStep(), ...step });
/** What a run does with a message: reads it, answers, and waits for the next one. */
const answer = async (id: string, seq: number): Promise<void> => {
  const lease = await claim(id);
  const inbox = await store.takeInbox(lease);
  const said = inbox.map((item, at) => ({ item, id: newId('msg'), seq: seq + at }));
  await commit(lease, {
    consumedInbox: inbox.map((item) => item.id),
    messages: [
      ...said.map(({ item, ...place }) => ({
        ...{ ...place, turn: seq, role: 'user' as const, stopReason: null },
        content: [{ type: 'text' as const, text: item.text }],
      })),
      {
        ...{ id: newId('msg'), seq: seq + said.length, turn: seq, role: 'assistant', stopReason: 'end_turn' },
        content: [{ type: 'text', text: `answer ${seq}` }],
      },
    ],
    events: said.map(({ item, id: messageId }) => ({
      type: 'message.user',
      data: { messageId, text: item.text, source: 'steering', inboxId: item.id },
    })),
  });
  const wait = { reason: 'message' as const, mode: 'any' as const, childIds: [], dueInMs: null };
  await commit(lease, { end: { kind: 'suspend', waitId: newId('wait'), wait } });
};

describe('a message in the inbox', () => {
  it('can be changed and withdrawn until it is read, and the history tells of each', async () => {
    const id = await create();
    const [first, second] = [await sent(id, 'one'), await sent(id, 'two')];
    const path = `/v1/tasks/${id}/messages`;
    const edited = await change(`${path}/${first}`, 'PATCH', { text: 'ONE' });
    expect([edited.status, await edited.json()]).toMatchObject([
      200,
      { id: first, text: 'ONE', editedAt: expect.any(String), deliveredAt: null },
    ]);
    for (const _ of ['once', 'and once more']) {
      const response = await change(`${path}/${second}`, 'DELETE');
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { withdrawnAt: expect.any(String) },
      ]);
    }
    expect(await codeOf(await change(`${path}/${second}`, 'PATCH', { text: 'x' }))).toEqual([
      409,
      'message_withdrawn',
    ]);
    const { data } = await read(`/v1/tasks/${id}/history/ui`, EventPage);
    expect(data.flatMap(({ type, data: body }) => ('inboxId' in body ? [[type, body]] : []))).toEqual([
      ['message.queued', { inboxId: first, text: 'one' }],
      ['message.queued', { inboxId: second, text: 'two' }],
      ['message.edited', { inboxId: first, text: 'ONE' }],
      ['message.withdrawn', { inboxId: second }],
    ]);
    await answer(id, 2);
    for (const response of [
      await change(`${path}/${first}`, 'PATCH', { text: 'x' }),
      await change(`${path}/${first}`, 'DELETE'),
    ])
      expect(await codeOf(response)).toEqual([409, 'message_delivered']);
    expect((await read(path, InboxMessagePage)).data).toMatchObject([
      { text: 'ONE', deliveredAt: expect.any(String) },
      { text: 'two', deliveredAt: null },
    ]);
  });

  it('is nobody else’s: unknown ids, ids of other tasks and nonsense are answered alike', async () => {
    const [id, other] = [await create(), await create()];
    const message = await sent(other, 'x');
    for (const messageId of [message, newId('inbox'), 'inbox_1', '%00'])
      for (const method of ['PATCH', 'DELETE'] as const) {
        const body = method === 'PATCH' ? { text: 'y' } : undefined;
        const response = await change(`/v1/tasks/${id}/messages/${messageId}`, method, body);
        expect([messageId, response.status]).toEqual([messageId, 404]);
      }
    expect((await change(`/v1/tasks/${other}/messages/${message}`, 'PATCH', { text: '' })).status).toBe(400);
  });
});

describe('the strategies of a message', () => {
  it('rejects it while the task is at work, and takes it when the task has nothing to do', async () => {
    const id = await create();
    expect(await codeOf(await send(id, 'x', 'reject'))).toEqual([409, 'task_busy']);
    const lease = await claim(id);
    expect(await codeOf(await send(id, 'x', 'reject'))).toEqual([409, 'task_busy']);
    await commit(lease, { end: { kind: 'yield' } });
    await answer(id, 2);
    expect((await send(id, 'now', 'reject')).status).toBe(201);
    expect(await read(`/v1/tasks/${id}`, TaskView)).toMatchObject({ state: 'queued' });
    expect((await read(`/v1/tasks/${id}/messages`, InboxMessagePage)).data).toHaveLength(1);
  });

  it('cuts off or takes back what runs, in the same step in which the message comes', async () => {
    for (const strategy of ['interrupt', 'rollback']) {
      const id = await create();
      const lease = await claim(id);
      expect((await send(id, 'x', strategy)).status).toBe(201);
      expect(await commit(lease, {})).toMatchObject({
        ...{ interrupted: true, rollback: strategy === 'rollback', inboxPending: 1 },
      });
    }
    expect((await send(await create(), 'x', 'shout')).status).toBe(400);
  });
});

describe('an interrupt without a message', () => {
  it('stops a conversation instead of pausing it', async () => {
    const id = await create({ autonomy: 'chat' });
    const lease = await claim(id);
    const interrupted = await bullpen.post(`/v1/tasks/${id}/interrupt`);
    expect(await interrupted.json()).toMatchObject({ state: 'running' });
    expect(await commit(lease, {})).toMatchObject({ interrupted: true, pauseRequested: false });
    const wait = { reason: 'message' as const, mode: 'any' as const, childIds: [], dueInMs: null };
    await commit(lease, { end: { kind: 'suspend', waitId: newId('wait'), wait } });
    const again = await bullpen.post(`/v1/tasks/${id}/interrupt`);
    expect(await again.json()).toMatchObject({ state: 'waiting', waitReason: 'message' });
  });
});

describe('rewinding', () => {
  it('drops exchanges from what the model is sent, marks them in the history, and says what was taken back', async () => {
    const id = await create();
    await answer(id, 2);
    await sent(id, 'first');
    await answer(id, 3);
    const second = await sent(id, 'second');
    await answer(id, 5);
    await sent(id, 'third');
    await answer(id, 7);
    const rewind = async (body: object) => {
      const response = await bullpen.post(`/v1/tasks/${id}/rewind`, body);
      return [response.status, await response.json()];
    };
    expect(await rewind({ turns: 1 })).toEqual([
      200,
      { taskId: id, exchanges: 1, messages: 2, text: 'third' },
    ]);
    expect(await rewind({ messageId: second })).toMatchObject([200, { exchanges: 1, text: 'second' }]);
    expect(await rewind({ messageId: second })).toMatchObject([409, { code: 'not_rewindable' }]);
    expect(await rewind({ turns: 3 })).toMatchObject([409, { code: 'not_rewindable' }]);
    for (const body of [{}, { turns: 0 }, { turns: 1, messageId: second }, { messageId: 'x' }])
      expect((await rewind(body))[0]).toBe(400);
    const { data } = await read(`/v1/tasks/${id}/history/api`, ApiMessagePage);
    expect(data.map(({ seq, droppedAt }) => [seq, droppedAt !== null])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((seq) => [seq, seq > 4]),
    );
    await sent(id, 'again');
    expect((await store.load(await claim(id)))?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(await rewind({ turns: 1 })).toMatchObject([409, { code: 'task_busy' }]);
  });

  it('takes the last answer of a failed task back, which then goes on from there with a retry', async () => {
    const id = await create();
    await answer(id, 2);
    await sent(id, 'first');
    await answer(id, 3);
    await sent(id, 'second');
    const failure = { cause: 'error', code: 'model_failed', message: 'The history is refused.' } as const;
    const outcome = { state: 'failed', cause: 'error', output: null, partial: false, failure } as const;
    await commit(await claim(id), { end: { kind: 'finish', outcome } });
    expect(await (await bullpen.post(`/v1/tasks/${id}/rewind`, { answers: 1 })).json()).toEqual({
      taskId: id,
      exchanges: 0,
      messages: 1,
      text: '',
    });
    expect(await codeOf(await bullpen.post(`/v1/tasks/${id}/rewind`, { turns: 2 }))).toEqual([
      409,
      'not_rewindable',
    ]);
    expect(TaskView.parse(await (await bullpen.call(`/v1/tasks/${id}`)).json()).state).toBe('failed');
    expect((await bullpen.post(`/v1/tasks/${id}/retry`, {})).status).toBe(200);
    expect((await store.load(await claim(id)))?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it('is refused once the task has ended in any other way', async () => {
    const id = await create();
    await bullpen.post(`/v1/tasks/${id}/cancel`);
    expect(await codeOf(await bullpen.post(`/v1/tasks/${id}/rewind`, { turns: 1 }))).toEqual([
      409,
      'task_finished',
    ]);
  });
});

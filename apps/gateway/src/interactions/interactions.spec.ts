/** What waits for people, over HTTP: the inbox, answers, answers for many. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BulkAnswerResult, InteractionPage, InteractionView, type TaskView } from '@bullpen/contracts';
import { emptyStep } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { PostgresTaskStore } from '@bullpen/store';
import { problemFrom, sendAndDie, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let store: PostgresTaskStore;
beforeAll(async () => {
  bullpen = await startTestGateway();
  store = new PostgresTaskStore({ pool: bullpen.pool, leaseMs: 60_000, newId });
});
beforeEach(() => bullpen.pool.query('TRUNCATE tasks, budget_accounts CASCADE'));
afterAll(() => bullpen?.close());

const HASH = 'c'.repeat(64);

/** A task that waits for this many approvals, as a worker leaves it. */
async function aTaskThatAsks(count = 1): Promise<{ taskId: string; ids: string[] }> {
  const task = (await (
    await bullpen.post('/v1/tasks', { prompt: 'Act', autonomy: 'agent' })
  ).json()) as TaskView;
  const lease = await store.claim(task.id, 1, 'worker_a');
  if (!lease) throw new Error('nothing to claim');
  const ids = Array.from({ length: count }, () => newId('ask'));
  const payload = {
    tool: 'run_command',
    arguments: { command: 'make' },
    reason: 'It runs code.',
    rule: 'execute',
  };
  const open = {
    kind: 'approval',
    callId: null,
    hash: HASH,
    title: 'run_command: make',
    turn: 0,
    payload,
  } as const;
  const wait = { reason: 'approval', mode: 'any', childIds: [], dueInMs: null, interactionIds: ids } as const;
  await store.commit(lease, {
    ...emptyStep(),
    interactions: ids.map((id) => ({ ...open, id, expiresInMs: null, expiryAnswer: null })),
    end: { kind: 'suspend', waitId: newId('wait'), wait },
  });
  return { taskId: task.id, ids };
}
const answer = (id: string, given: object, more: object = {}) =>
  bullpen.post(`/v1/interactions/${id}/answer`, { answer: given, ...more });
const show = async (id: string) =>
  InteractionView.parse(await (await bullpen.call(`/v1/interactions/${id}`)).json());
const taskOf = async (id: string) => (await (await bullpen.call(`/v1/tasks/${id}`)).json()) as TaskView;

describe('the inbox', () => {
  it('shows what waits and for whom, and loses what was answered', async () => {
    const { taskId, ids } = await aTaskThatAsks(2);
    expect(await taskOf(taskId)).toMatchObject({
      state: 'waiting',
      waitReason: 'approval',
      autonomy: 'agent',
    });
    const inbox = async () => InteractionPage.parse(await (await bullpen.call('/v1/interactions')).json());
    expect((await inbox()).data).toMatchObject(
      ids.map((id) => ({ id, taskId, kind: 'approval', state: 'pending', agent: 'general', hash: HASH })),
    );
    expect((await answer(ids[0] ?? '', { decision: 'approve' })).status).toBe(200);
    expect((await inbox()).data.map(({ id }) => id)).toEqual(ids.slice(1));
    const answered = await bullpen.call('/v1/interactions?state=answered');
    expect(InteractionPage.parse(await answered.json()).data.map(({ id }) => id)).toEqual(ids.slice(0, 1));
  });

  it('says which filter it does not know', async () => {
    const problem = await problemFrom(await bullpen.call('/v1/interactions?state=open'));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer: '/state' }] });
  });
});

describe('an answer', () => {
  it('wakes the task, names who gave it, and is the answer that stands', async () => {
    const { taskId, ids } = await aTaskThatAsks();
    const [id = ''] = ids;
    const given = { decision: 'approve', remarks: 'Go on.' };
    const view = InteractionView.parse(await (await answer(id, given, { hash: HASH })).json());
    expect(view).toMatchObject({ state: 'answered', answer: given, answeredBy: expect.any(String) });
    expect(await taskOf(taskId)).toMatchObject({ state: 'queued' });

    const late = await problemFrom(await answer(id, { decision: 'deny' }));
    expect(late).toMatchObject({ status: 409, code: 'interaction_closed' });
    expect(late.detail).toContain(JSON.stringify(given));
    expect(await show(id)).toMatchObject({ answer: given });
  });

  it('can be sent again with its key', async () => {
    const { ids } = await aTaskThatAsks();
    const send = () =>
      bullpen.post(
        `/v1/interactions/${ids[0]}/answer`,
        { answer: { decision: 'approve' } },
        { 'idempotency-key': 'k1' },
      );
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
  });

  it('that was stored and never confirmed, because the process died, is confirmed to whoever sends it again with its key', async () => {
    const { ids } = await aTaskThatAsks();
    const send = () =>
      bullpen.post(
        `/v1/interactions/${ids[0]}/answer`,
        { answer: { decision: 'approve' } },
        { 'idempotency-key': 'k2' },
      );
    expect((await sendAndDie(bullpen, 'state', send)).status).toBe(500);
    expect(await show(ids[0] ?? '')).toMatchObject({ state: 'answered' });

    const again = await send();
    expect(again.status).toBe(200);
    expect(InteractionView.parse(await again.json())).toEqual(await show(ids[0] ?? ''));
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  it('that is not wrapped as one is refused, with what it should look like', async () => {
    const { ids } = await aTaskThatAsks();
    const bare = await bullpen.post(`/v1/interactions/${ids[0]}/answer`, { decision: 'approve' });
    expect(await problemFrom(bare)).toMatchObject({
      code: 'invalid_request',
      errors: [
        { pointer: '/answer', detail: expect.stringContaining('{"answer": {"decision": "approve"}}') },
        { pointer: '/decision' },
      ],
    });
  });

  it('of the wrong shape names the place and changes nothing', async () => {
    const { ids } = await aTaskThatAsks();
    const problem = await problemFrom(await answer(ids[0] ?? '', { decision: 'perhaps' }));
    expect(problem).toMatchObject({
      status: 422,
      code: 'invalid_answer',
      errors: [{ pointer: '/answer/decision' }],
    });
    expect(await show(ids[0] ?? '')).toMatchObject({ state: 'pending' });
  });

  it('to something else than was seen is refused', async () => {
    const { ids } = await aTaskThatAsks();
    const problem = await problemFrom(
      await answer(ids[0] ?? '', { decision: 'approve' }, { hash: 'd'.repeat(64) }),
    );
    expect(problem).toMatchObject({ status: 409, code: 'interaction_changed' });
  });

  it('to a cancelled task is too late', async () => {
    const { taskId, ids } = await aTaskThatAsks();
    await bullpen.post(`/v1/tasks/${taskId}/cancel`);
    expect(await problemFrom(await answer(ids[0] ?? '', { decision: 'approve' }))).toMatchObject({
      status: 409,
    });
    expect(await show(ids[0] ?? '')).toMatchObject({ state: 'withdrawn' });
  });

  it('to nothing is 404', async () => {
    expect(await problemFrom(await answer(newId('ask'), { decision: 'approve' }))).toMatchObject({
      status: 404,
    });
  });
});

it('answers many alike, and says of each that it could not answer why', async () => {
  const { ids } = await aTaskThatAsks(3);
  await answer(ids[1] ?? '', { decision: 'deny' });
  const unknown = newId('ask');
  const response = await bullpen.post('/v1/interactions/answers', {
    ids: [...ids, unknown],
    answer: { decision: 'approve' },
  });
  expect(BulkAnswerResult.parse(await response.json())).toEqual({
    answered: [ids[0], ids[2]],
    failed: [
      { id: ids[1], code: 'interaction_closed', detail: expect.stringContaining('deny') },
      { id: unknown, code: 'not_found', detail: expect.any(String) },
    ],
  });
});

it('switches the autonomy of a task, whose approval is looked at again', async () => {
  const { taskId } = await aTaskThatAsks();
  const response = await bullpen.post(`/v1/tasks/${taskId}/autonomy`, { autonomy: 'background' });
  expect(await response.json()).toMatchObject({ autonomy: 'background', state: 'queued' });
  const wrong = await problemFrom(await bullpen.post(`/v1/tasks/${taskId}/autonomy`, { autonomy: 'yolo' }));
  expect(wrong).toMatchObject({ status: 400, errors: [{ pointer: '/autonomy' }] });
});

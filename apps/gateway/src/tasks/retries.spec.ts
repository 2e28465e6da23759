/** Trying again over HTTP: one task or many, from where they stopped or anew. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { FailureList, TaskView } from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
beforeEach(() => bullpen.pool.query('TRUNCATE tasks, ui_events, usage_records, budget_accounts CASCADE'));
afterAll(() => bullpen?.close());

const create = async (body: object = {}): Promise<string> =>
  ((await (await bullpen.post('/v1/tasks', { prompt: 'Say hello', ...body })).json()) as TaskView).id;
async function aFailure(body: object = {}, cause = 'error', state = 'failed'): Promise<string> {
  const id = await create(body);
  await bullpen.pool.query(
    `UPDATE tasks SET state = $2::task_state, stop_cause = $3, ended_at = now(), turns = 10000,
       failure = json_build_object('cause', $3::text, 'code', 'model_failed', 'message', 'It broke at ' || id) WHERE id = $1`,
    [id, state, cause],
  );
  await bullpen.pool.query('DELETE FROM dispatches WHERE task_id = $1', [id]);
  return id;
}
const count = () => bullpen.prisma.task.count();

describe('one task', () => {
  it('is done anew as a new task, whose place the answer names, once for each key', async () => {
    const id = await aFailure({ tags: ['a'] }, 'cancelled', 'cancelled');
    const anew = () =>
      bullpen.post(
        `/v1/tasks/${id}/retry`,
        { mode: 'new', limits: { turns: 7 } },
        { 'idempotency-key': 'anew' },
      );
    const response = await anew();
    const task = TaskView.parse(await response.json());
    expect([response.status, response.headers.get('location')]).toEqual([201, `/v1/tasks/${task.id}`]);
    expect(task).toMatchObject({ retryOfId: id, state: 'queued', tags: ['a'], limits: { turns: 7 } });

    const again = await anew();
    expect([again.status, again.headers.get('idempotency-replayed'), again.headers.get('location')]).toEqual([
      201,
      'true',
      `/v1/tasks/${task.id}`,
    ]);
    expect(await count()).toBe(2);
  });

  it('goes on from where it stopped unless that is asked for, and a cancelled one says what to do', async () => {
    const failed = await aFailure();
    const resumed = await bullpen.post(`/v1/tasks/${failed}/retry`, { mode: 'resume' });
    expect([resumed.status, resumed.headers.get('location')]).toEqual([200, null]);
    expect(await resumed.json()).toMatchObject({ id: failed, attempt: 2 });

    const cancelled = await aFailure({}, 'cancelled', 'cancelled');
    const problem = await problemFrom(await bullpen.post(`/v1/tasks/${cancelled}/retry`));
    expect(problem).toMatchObject({ status: 409, code: 'not_retryable' });
    expect(problem.nextActions).toContainEqual({
      action: 'task.retry',
      taskId: cancelled,
      mode: 'new',
      text: 'Start the task over.',
      request: { method: 'POST', path: `/v1/tasks/${cancelled}/retry`, body: { mode: 'new' } },
    });
    const living = await problemFrom(await bullpen.post(`/v1/tasks/${failed}/retry`, { mode: 'new' }));
    expect(living).toMatchObject({ status: 409, code: 'not_retryable' });
    expect(
      await problemFrom(await bullpen.post(`/v1/tasks/${failed}/retry`, { mode: 'again' })),
    ).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/mode' }],
    });
  });

  it('is not done anew on a folder that is gone', async () => {
    const id = await aFailure();
    await bullpen.pool.query(
      `UPDATE tasks SET workspace = '{"kind":"path","path":"/no/such","copy":true}' WHERE id = $1`,
      [id],
    );
    const problem = await problemFrom(await bullpen.post(`/v1/tasks/${id}/retry`, { mode: 'new' }));
    expect(problem).toMatchObject({ status: 422, code: 'invalid_workspace' });
    expect(await count()).toBe(1);
  });
});

it('shows failures by kind, those of the tenant', async () => {
  await Promise.all([aFailure(), aFailure(), aFailure({}, 'refused')]);
  const list = FailureList.parse(await (await bullpen.call('/v1/failures?limit=5')).json());
  expect(list).toMatchObject({
    total: 3,
    data: [
      { cause: 'error', count: 2, message: 'It broke at <id>' },
      { cause: 'refused', count: 1 },
    ],
  });
  expect(await (await bullpen.call('/v1/failures', { key: bullpen.otherKey })).json()).toMatchObject({
    data: [],
    total: 0,
  });
});

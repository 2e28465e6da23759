/** Bulk actions over HTTP: all that fit and only they, each by itself, whatever dies meanwhile. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BulkActionPage, BulkActionView, BulkItemPage, BulkPreview, TaskView } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { waitFor } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
beforeEach(() =>
  bullpen.pool.query('TRUNCATE tasks, ui_events, usage_records, budget_accounts, bulk_actions CASCADE'),
);
afterAll(() => bullpen?.close());

const create = async (body: object = {}): Promise<string> =>
  ((await (await bullpen.post('/v1/tasks', { prompt: 'Say hello', ...body })).json()) as TaskView).id;
async function anEnd(body: object = {}, cause = 'error', state = 'failed'): Promise<string> {
  const id = await create(body);
  await bullpen.pool.query(
    `UPDATE tasks SET state = $2::task_state, stop_cause = $3, ended_at = now(), turns = 10000,
       failure = json_build_object('cause', $3::text, 'code', 'model_failed', 'message', 'It broke at ' || id) WHERE id = $1`,
    [id, state, cause],
  );
  await bullpen.pool.query('DELETE FROM dispatches WHERE task_id = $1', [id]);
  return id;
}
/** Failed tasks as rows, for when there have to be many. */
async function failures(count: number, tag: string): Promise<void> {
  const id = await anEnd({ tags: [tag] });
  await bullpen.pool.query(
    `INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, workspace, state, stop_cause, ended_at, tags, event_seq)
     SELECT $1 || n, tenant_id, $1 || n, title, agent, model, definition, prompt, workspace, state, stop_cause, ended_at, tags, 0
     FROM tasks, generate_series(1, $3::int) n WHERE id = $2`,
    [newId('task').slice(0, 20), id, count - 1],
  );
}
const show = async (id: string): Promise<TaskView> =>
  TaskView.parse(await (await bullpen.call(`/v1/tasks/${id}`)).json());
const preview = async (body: object): Promise<BulkPreview> =>
  BulkPreview.parse(await (await bullpen.post('/v1/bulk-actions/preview', body)).json());
const get = async (id: string): Promise<BulkActionView> =>
  BulkActionView.parse(await (await bullpen.call(`/v1/bulk-actions/${id}`)).json());
async function ended(id: string): Promise<BulkActionView> {
  await waitFor(async () => (await get(id)).state !== 'running', { what: `${id} to end` });
  return get(id);
}
async function done(body: object): Promise<BulkActionView> {
  const response = await bullpen.post('/v1/bulk-actions', body);
  expect(response.status).toBe(202);
  return ended(((await response.json()) as BulkActionView).id);
}
const items = async (id: string, query = ''): Promise<BulkItemPage> =>
  BulkItemPage.parse(await (await bullpen.call(`/v1/bulk-actions/${id}/items?limit=200${query}`)).json());

describe('a preview', () => {
  it('says how many fit, to how many it can be done and why not to others, and changes nothing', async () => {
    const able = await anEnd({ tags: ['x'] });
    const limit = await anEnd({}, 'turn_limit');
    await anEnd({}, 'cancelled', 'cancelled');
    await bullpen.pool.query('UPDATE budget_accounts SET spent_nano_usd = 1500000000 WHERE root_id = $1', [
      able,
    ]);
    const action = { verb: 'retry' };
    expect(await preview({ action, filter: { state: ['failed'], roots: true } })).toEqual({
      ...{ matched: 2, considered: 2, able: 1, costSoFarUsd: '1.50' },
      reasons: [{ reason: expect.stringContaining('limits.turns'), count: 1 }],
      refused: [{ id: limit, reason: expect.stringContaining('limits.turns') }],
      byCause: [
        { cause: 'error', matched: 1, able: 1 },
        { cause: 'turn_limit', matched: 1, able: 0 },
      ],
    });
    expect(await preview({ action: { verb: 'cancel' }, ids: [able] })).toMatchObject({ matched: 1, able: 0 });
    expect((await show(able)).state).toBe('failed');
    for (const body of [
      { action },
      { action, filter: {}, ids: [able] },
      { action: { verb: 'eat' }, ids: [able] },
    ])
      expect((await bullpen.post('/v1/bulk-actions/preview', body)).status).toBe(400);
  });
});

describe('a bulk action', () => {
  it('does all that match, 1,240 of them, and only they, with a page of 50 in view', async () => {
    await failures(1_240, 'many');
    const other = await anEnd({ tags: ['other'] });
    const filter = { state: ['failed'], tag: 'many' };
    expect((await preview({ action: { verb: 'archive' }, filter })).matched).toBe(1_240);
    const action = await done({ action: { verb: 'archive' }, filter });
    expect(action).toMatchObject({ state: 'done', total: 1_240, done: 1_240, refused: 0, left: 0 });
    const { rows } = await bullpen.pool.query(
      'SELECT count(*)::int AS n FROM tasks WHERE archived_at IS NOT NULL',
    );
    expect(rows).toEqual([{ n: 1_240 }]);
    expect((await show(other)).archivedAt).toBeNull();
    const list = await (await bullpen.call('/v1/tasks?limit=50&state=failed')).json();
    expect((list as { data: TaskView[] }).data.map(({ id }) => id)).toEqual([other]);
  });

  it('retries each by itself, once: what is refused stops no other and is listed with its reason', async () => {
    const able = [await anEnd(), await anEnd()];
    const refused = await anEnd({}, 'token_limit');
    await bullpen.pool.query('UPDATE tasks SET input_tokens = 1000000000000 WHERE id = $1', [refused]);
    const body = { action: { verb: 'retry', message: 'Once more.' }, filter: { state: ['failed'] } };
    const action = await done(body);
    expect(action).toMatchObject({ total: 3, done: 2, refused: 1 });
    for (const id of able) expect(await show(id)).toMatchObject({ state: 'queued', attempt: 2, runAt: null });
    expect((await items(action.id, '&state=refused')).data).toMatchObject([
      { taskId: refused, reason: expect.stringContaining('limits.tokens') },
    ]);
    expect(await done(body)).toMatchObject({ total: 1, done: 0, refused: 1 });
  });

  it('begins twenty retries a second: none before its second, and none waits for longer than that', async () => {
    for (let n = 0; n < 45; n += 1) await anEnd();
    const action = await done({ action: { verb: 'retry' }, filter: { state: ['failed'] } });
    const { rows } = await bullpen.pool.query<{ second: number; begins: number; waits: number }>(
      `SELECT (i.position - 1) / 20 AS second,
         extract(epoch FROM coalesce(t.run_at, t.updated_at) - b.created_at)::float AS begins,
         extract(epoch FROM coalesce(t.run_at, t.updated_at) - t.updated_at)::float AS waits
       FROM bulk_items i JOIN bulk_actions b ON b.id = i.bulk_id JOIN tasks t ON t.id = i.task_id WHERE b.id = $1 ORDER BY i.position`,
      [action.id],
    );
    expect(rows.map(({ second }) => second)).toEqual([...Array(45).keys()].map((at) => Math.floor(at / 20)));
    // The action's moment is read in whole ms.
    for (const { second, begins, waits } of rows)
      expect([begins >= second - 0.001, waits <= second]).toEqual([true, true]);
  });

  it('starts tasks over as new ones, which it names; a key repeats the answer and not the work', async () => {
    const ids = [await anEnd(), await anEnd()];
    const body = { action: { verb: 'retry', mode: 'new' }, ids };
    const key = { 'idempotency-key': 'many' };
    const first = (await (await bullpen.post('/v1/bulk-actions', body, key)).json()) as BulkActionView;
    await ended(first.id);
    const again = await bullpen.post('/v1/bulk-actions', body, key);
    expect(((await again.json()) as BulkActionView).id).toBe(first.id);
    const made = (await items(first.id)).data.map(({ newTaskId }) => newTaskId ?? '');
    expect((await Promise.all(made.map(show))).map(({ retryOfId }) => retryOfId)).toEqual(ids);
    expect(await bullpen.prisma.task.count()).toBe(4);
    expect(await done(body)).toMatchObject({ total: 2, done: 0, refused: 2 });
  });

  it('cancels, pauses, resumes and tags what may be, in any state', async () => {
    const [living, over] = [await create({ tags: ['a'] }), await anEnd()];
    const ids = [living, over];
    const counts = async (action: object) => {
      const { done: did, refused } = await done({ action, ids });
      return [did, refused];
    };
    expect(await counts({ verb: 'pause' })).toEqual([1, 1]);
    expect((await show(living)).state).toBe('paused');
    expect(await counts({ verb: 'resume' })).toEqual([1, 1]);
    expect(await counts({ verb: 'archive' })).toEqual([1, 1]);
    expect(await counts({ verb: 'unarchive' })).toEqual([1, 1]);
    expect(await counts({ verb: 'tag', add: ['b'], remove: ['a'] })).toEqual([2, 0]);
    expect([(await show(living)).tags, (await show(over)).tags]).toEqual([['b'], ['b']]);
    expect(await counts({ verb: 'cancel', reason: 'Enough' })).toEqual([1, 1]);
    expect((await show(living)).state).toBe('cancelled');
    const { rows } = await bullpen.pool.query(
      `SELECT data #> '{changes}' AS changes FROM ui_events WHERE task_id = $1 AND type = 'task.updated' ORDER BY seq`,
      [over],
    );
    expect(rows.map(({ changes }) => changes as object)).toEqual([
      { archived: true },
      { archived: false },
      { tags: ['b'] },
    ]);
  });

  it('goes on after the gateway that had it died, without doing anything twice', async () => {
    const ids = [await anEnd(), await anEnd(), await anEnd()];
    const id = newId('bulk');
    const retry = JSON.stringify({ verb: 'retry', mode: 'new' });
    await bullpen.pool.query(
      `INSERT INTO bulk_actions (id, tenant_id, action, created_by, lease_expires_at) VALUES ($1, 'default', $2, 'dead', now() + interval '1 s')`,
      [id, retry],
    );
    await bullpen.pool.query(
      `INSERT INTO bulk_items (bulk_id, position, task_id, state) SELECT $1, n, id, CASE WHEN n = 1 THEN 'done' ELSE 'left' END
       FROM unnest($2::text[]) WITH ORDINALITY AS given(id, n)`,
      [id, ids],
    );
    expect(await ended(id)).toMatchObject({ state: 'done', total: 3, done: 3 });
    const { rows } = await bullpen.pool.query(
      'SELECT retry_of_id AS id FROM tasks WHERE retry_of_id IS NOT NULL ORDER BY id',
    );
    expect(rows.map((row: { id: string }) => row.id).sort()).toEqual(ids.slice(1).sort());
  });

  it('leaves alone what it has not come to when it is stopped, and is its tenant’s only', async () => {
    const id = newId('bulk');
    await bullpen.pool.query(
      `INSERT INTO bulk_actions (id, tenant_id, action, created_by, lease_expires_at) VALUES ($1, 'default', '{"verb":"archive"}', 'k', now() + interval '1 hour')`,
      [id],
    );
    const task = await anEnd();
    await bullpen.pool.query('INSERT INTO bulk_items (bulk_id, position, task_id) VALUES ($1, 1, $2)', [
      id,
      task,
    ]);
    const foreign = { authorization: `Bearer ${bullpen.otherKey}` };
    expect(await problemFrom(await bullpen.post(`/v1/bulk-actions/${id}/stop`, {}, foreign))).toMatchObject({
      status: 404,
    });
    expect((await get(id)).state).toBe('running');
    const stopped = BulkActionView.parse(await (await bullpen.post(`/v1/bulk-actions/${id}/stop`)).json());
    expect(stopped).toMatchObject({ state: 'stopped', left: 1 });
    expect((await show(task)).archivedAt).toBeNull();
    const list = BulkActionPage.parse(await (await bullpen.call('/v1/bulk-actions')).json());
    expect(list.data.map((one) => one.id)).toEqual([id]);
    const others = BulkActionPage.parse(
      await (await bullpen.call('/v1/bulk-actions', { key: bullpen.otherKey })).json(),
    );
    expect(others.data).toEqual([]);
    expect(await done({ action: { verb: 'cancel' }, ids: [newId('task')] })).toMatchObject({
      total: 0,
      state: 'done',
    });
  });
});

/** New tasks from checkpoints over HTTP: with the files alone, with the conversation, as another try; and nobody else's. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type BullpenClient } from '@bullpen/client';
import { newId } from '@bullpen/platform';
import { checkInvariants } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
});
afterAll(() => bullpen?.close());

const query = async (text: string, values: unknown[]) => (await bullpen.pool.query(text, values)).rows;

/** A task whose agent has written a file and has begun to write another one: three messages, and the answer that asks for the second. */
async function aTask(): Promise<string> {
  const { id } = await client.tasks.create({ agent: 'general', prompt: 'Write.', limits: { turns: 5 } });
  const say = async (seq: number, turn: number, role: string, content: object[]) => {
    const message = newId('msg');
    await query(
      `INSERT INTO api_messages (id, task_id, seq, turn, role, content, epoch) VALUES ($1, $2, $3, $4, $5::message_role, $6, 1)`,
      [message, id, seq, turn, role, JSON.stringify(content)],
    );
    return message;
  };
  const call = async (message: string, turn: number, use: string, status: string) => {
    const started = newId('call');
    await query(
      `INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, output, started_epoch, started_at)
       VALUES ($1, $2, $3, $4, 0, $5, 'write_file', $6::tool_call_status, '{}', 'written', 1, now())`,
      [started, id, message, turn, use, status],
    );
    return started;
  };
  const ask = (use: string) => [{ type: 'tool_use', id: use, name: 'write_file', input: {} }];
  const first = await call(await say(2, 1, 'assistant', ask('u1')), 1, 'u1', 'done');
  await say(3, 1, 'user', [{ type: 'tool_result', tool_use_id: 'u1', content: 'written' }]);
  const second = await call(await say(4, 2, 'assistant', ask('u2')), 2, 'u2', 'calling');
  const data = [
    ['todo.updated', { todos: [{ text: 'half', status: 'completed' }] }],
    [
      'tool.finished',
      { callId: first, tool: 'write_file', turn: 1, state: 'done', durationMs: 1, preview: '' },
    ],
    ['tool.started', { callId: second, tool: 'write_file', turn: 2, arguments: {} }],
  ] as const;
  for (const [at, [type, body]] of data.entries())
    await query(
      `INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data) VALUES ($1, $2, $1, 'default', $3, $4)`,
      [id, 3 + at, type, JSON.stringify(body)],
    );
  await query(
    `UPDATE tasks SET message_seq = 4, event_seq = 5, turns = 2, epoch = 1, state = 'failed', stop_cause = 'error', ended_at = now(),
       failure = '{"cause": "error", "code": "model_failed", "message": "It broke."}' WHERE id = $1`,
    [id],
  );
  return id;
}
async function aCheckpoint(taskId: string, place: { turn: number; messageSeq: number; eventSeq: number }) {
  const id = newId('ckpt');
  await bullpen.prisma.checkpoint.create({
    data: {
      ...{ id, taskId, rootId: taskId, tenantId: 'default', workspaceId: taskId, reason: 'turn' },
      ...{ commit: 'c1', files: 3, leftOut: [], bytes: 700, ...place },
    },
  });
  return id;
}
const MIDDLE = { turn: 2, messageSeq: 4, eventSeq: 5 };
const BEFORE_CHANGES = { turn: 1, messageSeq: 4, eventSeq: 5 };

describe('a fork', () => {
  it('has the conversation up to the checkpoint; calls that had not ended by then count as not run', async () => {
    const source = await aTask();
    const id = await aCheckpoint(source, MIDDLE);
    const fork = await client.checkpoints.fork(id, { message: 'Now in French.', limits: { turns: 9 } });
    expect(fork).toMatchObject({
      ...{ title: 'Write.', prompt: 'Write.', state: 'queued', turns: 0, limits: { turns: 9 } },
      ...{ forkedFrom: { taskId: source, checkpointId: id }, retryOfId: null },
      workspace: { kind: 'fork', checkpointId: id, history: true, origin: { kind: 'empty' } },
      todos: [{ text: 'half', status: 'completed' }],
    });
    expect(fork.usage.costUsd).toBe('0.00');
    const calls = await query(
      'SELECT tool_use_id, status, turn, position, output, child_task_id FROM tool_calls WHERE task_id = $1 ORDER BY position',
      [fork.id],
    );
    expect(calls).toMatchObject([
      { tool_use_id: 'u1', status: 'done', position: 0, output: 'written' },
      { tool_use_id: 'u2', status: 'canceled', position: 1, output: expect.stringContaining('Not run') },
    ]);
    const inbox = await query('SELECT source, text FROM inbox_messages WHERE task_id = $1 ORDER BY id', [
      fork.id,
    ]);
    expect(inbox).toMatchObject([{ source: 'notice' }, { source: 'user', text: 'Now in French.' }]);
    const events = await query('SELECT type FROM ui_events WHERE task_id = $1 ORDER BY seq', [fork.id]);
    expect(events.map(({ type }) => type)).toEqual([
      ...[
        'task.created',
        'message.user',
        'todo.updated',
        'tool.finished',
        'task.forked_from',
        'message.queued',
      ],
    ]);
    const told = await query(`SELECT data FROM ui_events WHERE task_id = $1 AND type = 'task.forked'`, [
      source,
    ]);
    expect(told).toEqual([{ data: { taskId: fork.id, checkpointId: id } }]);
  });

  it('of the state before a change knows nothing of the answer that was about to make it', async () => {
    const id = await aCheckpoint(await aTask(), BEFORE_CHANGES);
    const fork = await client.checkpoints.fork(id);
    const roles = await query('SELECT seq, role FROM api_messages WHERE task_id = $1 ORDER BY seq', [
      fork.id,
    ]);
    expect(roles.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('sends the same as its source did where that had become shorter, whatever its messages are numbered by', async () => {
    const source = await aTask();
    await query(`UPDATE api_messages SET seq = seq + 10 WHERE task_id = $1 AND seq > 1`, [source]);
    const reduction = { kind: 'condense', fromSeq: 12, toSeq: 13, modelCallId: 'mcall_1', forcedBy: null };
    await query(
      `INSERT INTO api_messages (id, task_id, seq, turn, role, content, reduction, epoch)
       VALUES ($1, $2, 15, 2, 'user', '[{"type":"text","text":"a record"}]', $3, 1)`,
      [newId('msg'), source, JSON.stringify(reduction)],
    );
    const fork = await client.checkpoints.fork(await aCheckpoint(source, { ...MIDDLE, messageSeq: 15 }));
    const rows = await query('SELECT seq, reduction FROM api_messages WHERE task_id = $1 ORDER BY seq', [
      fork.id,
    ]);
    expect(rows.map(({ seq }) => seq as number)).toEqual([1, 2, 3, 4, 5]);
    expect(rows.at(-1)?.reduction).toEqual({ ...reduction, fromSeq: 2, toSeq: 3, modelCallId: null });
    await query('DELETE FROM tasks WHERE id = ANY ($1)', [[fork.id]]);
    await query('DELETE FROM tasks WHERE id = ANY ($1)', [[source]]);
  });

  it('leaves out what had been taken back by then, and has what was taken back later', async () => {
    const source = await aTask();
    const id = await aCheckpoint(source, MIDDLE);
    await query(`UPDATE api_messages SET dropped_at = now() - interval '1 hour' WHERE task_id = $1 AND seq IN (2, 3)`, [source]); // prettier-ignore
    await query(`UPDATE api_messages SET dropped_at = now() + interval '1 hour' WHERE task_id = $1 AND seq = 4`, [source]); // prettier-ignore
    const fork = await client.checkpoints.fork(id);
    const kept = await query('SELECT seq, role FROM api_messages WHERE task_id = $1 ORDER BY seq', [fork.id]);
    expect(kept).toEqual([
      { seq: 1, role: 'user' },
      { seq: 2, role: 'assistant' },
    ]);
  });

  it('may go on with another agent or model, which are checked as those of any task', async () => {
    const id = await aCheckpoint(await aTask(), MIDDLE);
    expect(await client.checkpoints.fork(id, { agent: 'explorer' })).toMatchObject({ agent: 'explorer' });
    const model = 'claude-opus-5-5';
    expect(await client.checkpoints.fork(id, { model })).toMatchObject({ agent: 'general', model });
    const unknown = await problemFrom(
      await bullpen.post(`/v1/checkpoints/${id}/fork`, { model: 'nonsense' }),
    );
    expect(unknown).toMatchObject({ status: 400, errors: [{ pointer: '/model' }] });
  });

  it('with the files alone is a task like any other', async () => {
    const id = await aCheckpoint(await aTask(), MIDDLE);
    const task = await client.tasks.create({
      agent: 'general',
      prompt: 'Look.',
      workspace: { kind: 'fork', checkpointId: id },
    });
    expect(task).toMatchObject({ prompt: 'Look.', forkedFrom: { checkpointId: id } });
    expect(await query('SELECT seq FROM api_messages WHERE task_id = $1', [task.id])).toHaveLength(1);
    expect(await query('SELECT base FROM workspaces WHERE id = $1', [task.id])).toEqual([{ base: id }]);
  });

  it('is made once for each key, and of nobody else’s checkpoint', async () => {
    const id = await aCheckpoint(await aTask(), MIDDLE);
    const again = () => client.checkpoints.fork(id, {}, { idempotencyKey: 'fork-1' });
    expect((await again()).id).toBe((await again()).id);
    const path = `/v1/checkpoints/${id}/fork`;
    expect((await bullpen.call(path, { key: bullpen.otherKey, method: 'POST' })).status).toBe(404);
    const other = { authorization: `Bearer ${bullpen.otherKey}` };
    const body = { prompt: 'x', workspace: { kind: 'fork', checkpointId: id } };
    expect(await problemFrom(await bullpen.post('/v1/tasks', body, other))).toMatchObject({ status: 404 });
  });
});

describe('another try from a checkpoint', () => {
  it('is a new task that names both, and starts over from there when it is tried anew itself', async () => {
    const source = await aTask();
    const id = await aCheckpoint(source, MIDDLE);
    const path = `/v1/tasks/${source}/retry`;
    const response = await bullpen.post(path, { fromCheckpoint: id, message: 'Mind the gap.' });
    expect(response.status).toBe(201);
    const task = (await response.json()) as { id: string };
    expect(task).toMatchObject({ retryOfId: source, forkedFrom: { taskId: source, checkpointId: id } });
    await client.tasks.cancel(task.id);
    expect(await client.tasks.retry(task.id, { mode: 'new' })).toMatchObject({
      ...{ retryOfId: task.id, forkedFrom: { taskId: source, checkpointId: id } },
    });
    await query('DELETE FROM checkpoints WHERE id = $1', [id]);
    const gone = await problemFrom(await bullpen.post(`/v1/tasks/${task.id}/retry`, { mode: 'new' }));
    expect(gone).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('needs a checkpoint of that very task', async () => {
    const id = await aCheckpoint(await aTask(), MIDDLE);
    const refused = await problemFrom(
      await bullpen.post(`/v1/tasks/${await aTask()}/retry`, { fromCheckpoint: id }),
    );
    expect(refused).toMatchObject({ status: 400, errors: [{ pointer: '/fromCheckpoint' }] });
  });
});

it('leaves the books in order', async () => {
  const forks = `SELECT id FROM tasks WHERE forked_task_id IS NOT NULL`;
  const ids = (await query(forks, [])).map(({ id }) => id as string);
  expect(ids.length).toBeGreaterThan(5);
  expect((await checkInvariants(bullpen.pool, ids)).flatMap(({ violations }) => violations)).toEqual([]);
});

/** Restores over HTTP: asked for, refused, carried out by somebody else, and of a conversation at once. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { BusMessage, RestoredFiles } from '@bullpen/contracts';
import { createClient, type BullpenClient } from '@bullpen/client';
import { newId } from '@bullpen/platform';
import { checkInvariants, DueRestores } from '@bullpen/store';
import { waitFor } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
let due: DueRestores;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
  due = new DueRestores({ pool: bullpen.pool, newId });
});
afterAll(async () => {
  const gapless = (await checkInvariants(bullpen.pool)).filter(({ id }) => id === 'I7');
  await bullpen.close();
  expect(gapless).toMatchObject([{ holds: true }]);
});

/** A paused task with a conversation of three turns, and a checkpoint after each of the first two, as workers would have recorded it. */
async function aTask(state = 'paused'): Promise<{ id: string; ckpts: string[] }> {
  const { id } = await client.tasks.create({ agent: 'explorer', prompt: 'Look.' });
  await bullpen.pool.query(
    `UPDATE tasks SET state = $2::task_state, turns = 3, message_seq = 6 WHERE id = $1`,
    [id, state],
  );
  await bullpen.pool.query('DELETE FROM dispatches WHERE task_id = $1', [id]);
  await bullpen.prisma.workspace.create({ data: { id, rootId: id, home: 'nowhere', epoch: 1 } });
  for (let seq = 2; seq <= 6; seq += 1) {
    const [role, turn] = [seq % 2 === 0 ? 'assistant' : 'user', Math.floor(seq / 2)];
    await bullpen.pool.query(
      `INSERT INTO api_messages (id, task_id, seq, turn, role, content, epoch) VALUES ($1, $2, $3, $4, $5::message_role, $6, 1)`,
      [newId('msg'), id, seq, turn, role, JSON.stringify([{ type: 'text', text: `${role} ${seq}` }])],
    );
  }
  return { id, ckpts: [await aCheckpoint(id, 1, 2), await aCheckpoint(id, 2, 4)] };
}

async function aCheckpoint(
  taskId: string,
  turn: number,
  messageSeq: number,
  workspaceId = taskId,
): Promise<string> {
  const id = newId('ckpt');
  await bullpen.prisma.checkpoint.create({
    data: {
      ...{
        id,
        taskId,
        rootId: workspaceId,
        tenantId: 'default',
        workspaceId,
        reason: 'turn',
        turn,
        messageSeq,
      },
      ...{ eventSeq: 9, commit: `c${turn}`, files: 3, leftOut: [], bytes: 700 },
    },
  });
  return id;
}

const NOTHING = { count: 0, list: [] };
const FILES: RestoredFiles = {
  changes: { count: 1, list: [{ path: 'a', action: 'write' }] },
  ...{ kept: NOTHING, conflicts: NOTHING },
};

describe('a restore', () => {
  it('of files is looked at by a worker, which hears of it, and changes nothing unless it is to', async () => {
    const heard: BusMessage[] = [];
    const leave = await bullpen.bus.subscribe((message) => heard.push(message));
    const { id, ckpts } = await aTask();
    const answer = client.checkpoints.restore(id, { checkpointId: ckpts[0] ?? '', what: 'files' });
    const [wanted] = await waitFor(
      async () => {
        const list = await due.list('nowhere');
        return list.length > 0 && list;
      },
      { what: 'the request' },
    );
    await waitFor(() => heard.some(({ kind }) => kind === 'restore'), { what: 'the message' });
    await due.looked(wanted?.id ?? '', FILES);
    const look = await answer;
    expect(look).toMatchObject({ dryRun: true, state: 'done', files: FILES, before: null, history: null });
    expect(await client.checkpoints.restored(look.id)).toEqual(look);
    await leave();
    const { data } = await client.tasks.events(id, {});
    expect(data.map(({ type }) => type)).not.toContain('workspace.restore_requested');
  });

  it('of a conversation is done at once: what came later no longer counts, and the agent is told that files stay', async () => {
    const { id, ckpts } = await aTask();
    const look = await client.checkpoints.restore(id, { checkpointId: ckpts[0] ?? '', what: 'history' });
    expect(look).toMatchObject({ state: 'done', dryRun: true, history: { turn: 1, messages: 4 } });
    const done = await client.checkpoints.restore(id, {
      ...{ checkpointId: ckpts[0] ?? '', what: 'history', dryRun: false },
    });
    expect(done).toMatchObject({ state: 'done', files: null, history: { turn: 1, messages: 4 } });
    const { rows } = await bullpen.pool.query(
      'SELECT seq FROM api_messages WHERE task_id = $1 AND dropped_at IS NULL ORDER BY seq',
      [id],
    );
    expect(rows).toEqual([{ seq: 1 }, { seq: 2 }]);
    const { data } = await client.tasks.events(id, {});
    expect(data.at(-1)).toMatchObject({ type: 'history.rewound', data: { reason: 'restore' } });
    const inbox = await client.tasks.messages(id, {});
    expect(inbox.data).toEqual([]);
    const { rows: notices } = await bullpen.pool.query(
      `SELECT text FROM inbox_messages WHERE task_id = $1 AND source = 'notice'`,
      [id],
    );
    expect(notices).toMatchObject([{ text: expect.stringContaining('Files stay as they are') }]);
    const again = await client.checkpoints.restore(id, { checkpointId: ckpts[0] ?? '', what: 'history' });
    expect(again).toMatchObject({ history: { messages: 0 } });
  });

  it('is refused while something works there, with what to do about it', async () => {
    const { id, ckpts } = await aTask('running');
    const ask = async (body: object, key = bullpen.key) =>
      problemFrom(
        await bullpen.call(`/v1/tasks/${id}/restore`, {
          ...{ method: 'POST', body: JSON.stringify({ checkpointId: ckpts[0], ...body }), key },
          headers: { 'content-type': 'application/json' },
        }),
      );
    for (const what of ['files', 'history', 'both'])
      expect(await ask({ what })).toMatchObject({
        ...{ status: 409, code: 'task_busy' },
        nextActions: [{ action: 'task.pause', taskId: id }, { action: 'task.watch' }],
      });
    expect(await ask({ what: 'files' }, bullpen.otherKey)).toMatchObject({ status: 404 });
    expect(await ask({ what: 'all' })).toMatchObject({ status: 400, errors: [{ pointer: '/what' }] });
    const other = await aTask();
    expect(await ask({ what: 'files', checkpointId: other.ckpts[0] })).toMatchObject({
      ...{ status: 404, nextActions: [{ action: 'checkpoint.list', taskId: id }] },
    });
    await bullpen.pool.query(`UPDATE tasks SET state = 'paused' WHERE id = $1`, [id]);
    const asked = await due.list('nowhere');
    expect(asked.filter(({ taskId }) => taskId === id)).toEqual([]);
    const shared = await aCheckpoint(other.id, 1, 2, id);
    expect(await ask({ what: 'both', checkpointId: shared })).toMatchObject({
      ...{ code: 'not_rewindable', detail: expect.stringContaining('only the files') },
    });
  });

  it('is nobody else’s, and two at a time are one too many', async () => {
    const { id, ckpts } = await aTask();
    const request = { checkpointId: ckpts[0] ?? '', what: 'files', dryRun: false } as const;
    const first = client.checkpoints.restore(id, request);
    const wanted = await waitFor(
      async () => (await due.list('nowhere')).find(({ taskId }) => taskId === id) ?? false,
      { what: 'the request' },
    );
    await expect(client.checkpoints.restore(id, request)).rejects.toMatchObject({ code: 'task_busy' });
    const { status } = await bullpen.call(`/v1/restores/${wanted.id}`, { key: bullpen.otherKey });
    expect([status, (await bullpen.call('/v1/restores/nonsense')).status]).toEqual([404, 404]);
    await due.fail(wanted.id, 'the disk is full');
    expect(await first).toMatchObject({ state: 'failed', failure: 'the disk is full' });
    const { data } = await client.tasks.events(id, {});
    expect(data.map(({ type }) => type).slice(-2)).toEqual([
      'workspace.restore_requested',
      'workspace.restore_failed',
    ]);
  });
});

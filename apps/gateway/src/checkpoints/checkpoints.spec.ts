/** Checkpoints over HTTP: listed by pages, found by a piece of their id, and nobody else's. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { Checkpoints } from '@bullpen/checkpoints';
import { createClient, type BullpenClient } from '@bullpen/client';
import { newId } from '@bullpen/platform';
import { PostgresPackStore } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
let taskId: string;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
  taskId = (await client.tasks.create({ agent: 'explorer', prompt: 'Look.' })).id;
});
afterAll(() => bullpen?.close());

/** A checkpoint as a worker would have recorded it. */
async function aCheckpoint(
  change: { taskId?: string; rootId?: string; workspaceId?: string; note?: string; commit?: string } = {},
) {
  const id = newId('ckpt');
  await bullpen.prisma.checkpoint.create({
    data: {
      ...{ id, taskId, rootId: taskId, tenantId: 'default', workspaceId: taskId, reason: 'turn', turn: 2 },
      ...{ messageSeq: 4, eventSeq: 9, commit: 'c1', files: 3, leftOut: [], bytes: 700 },
      diffstat: {
        ...{ files: 1, insertions: 2, deletions: 0 },
        list: [{ path: 'a.txt', status: 'changed', insertions: 2, deletions: 0 }],
      },
      ...change,
    },
  });
  return id;
}

describe('checkpoints', () => {
  it('are listed by pages, newest first, with what each changed, and found by a piece of their id', async () => {
    const ids = [await aCheckpoint(), await aCheckpoint({ note: 'before the move' }), await aCheckpoint()];
    const first = await client.checkpoints.list(taskId, { limit: 2 });
    expect(first.data.map(({ id }) => id)).toEqual([ids[2], ids[1]]);
    expect(first.data[1]).toMatchObject({ note: 'before the move', diffstat: { files: 1, insertions: 2 } });
    const second = await client.checkpoints.list(taskId, { limit: 2, after: first.nextCursor ?? '' });
    expect(second.data.map(({ id }) => id)).toEqual([ids[0]]);
    expect(second.hasMore).toBe(false);
    const found = await client.ids.find({ kind: 'ckpt', piece: ids[1] as string });
    expect(found.data).toMatchObject([{ id: ids[1], title: 'before the move' }]);
    const wrong = await bullpen.call(`/v1/tasks/${taskId}/checkpoints?after=x`);
    expect(await problemFrom(wrong)).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('of a workspace that subtasks share belong to the task whose workspace it is, too', async () => {
    const lead = (await client.tasks.create({ agent: 'explorer', prompt: 'Lead.' })).id;
    const other = (await client.tasks.create({ agent: 'explorer', prompt: 'Help.' })).id;
    const shared = await aCheckpoint({ taskId: other, workspaceId: lead });
    const listed = async (id: string) => (await client.checkpoints.list(id)).data.map((each) => each.id);
    expect(await listed(lead)).toEqual([shared]);
    expect(await listed(other)).toEqual([shared]);
    expect(await client.checkpoints.get(shared)).toMatchObject({ taskId: other, workspaceId: lead });
  });

  it('are nobody else’s', async () => {
    const id = await aCheckpoint();
    for (const path of [`/v1/tasks/${taskId}/checkpoints`, `/v1/checkpoints/${id}`])
      expect([path, (await bullpen.call(path, { key: bullpen.otherKey })).status]).toEqual([path, 404]);
    const gone = await problemFrom(await bullpen.call(`/v1/checkpoints/${newId('ckpt')}`));
    expect(gone).toMatchObject({ code: 'not_found', nextActions: [{ action: 'checkpoint.list' }] });
    expect((await bullpen.call('/v1/checkpoints/nonsense')).status).toBe(404);
  });

  it('say what a task changed, as a list and as a patch; without any, nothing', async () => {
    const id = (await client.tasks.create({ agent: 'explorer', prompt: 'Change.' })).id;
    expect(await client.checkpoints.diff(id)).toMatchObject({ from: null, diffstat: { files: 0 } });
    expect(await text(await client.checkpoints.patch(id))).toBe('');
    const nothing = await problemFrom(await bullpen.call(`/v1/tasks/${id}/changes`));
    expect(nothing).toMatchObject({ status: 409, code: 'checkpoint_unavailable' });
    const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'));
    const shadow = { folder: join(folder, 'shadow') };
    const workspace = join(folder, 'workspace');
    mkdirSync(workspace);
    const packs = new PostgresPackStore(bullpen.pool);
    const engine = new Checkpoints({ shadow, workspace, line: id, packs, coverage: {}, owner: null });
    let parent: string | null = null;
    for (const content of ['one\n', 'two\n']) {
      writeFileSync(join(workspace, 'f'), content);
      const taken = await engine.take({ parent }, AbortSignal.timeout(30_000));
      if (taken.kind !== 'taken') throw new Error(JSON.stringify(taken));
      parent = taken.commit;
      await aCheckpoint({ taskId: id, rootId: id, workspaceId: id, commit: taken.commit });
    }
    rmSync(folder, { recursive: true });
    const list = [{ path: 'f', status: 'changed', insertions: 1, deletions: 1 }];
    expect((await client.checkpoints.diff(id)).diffstat).toMatchObject({ files: 1, list });
    expect(await text(await client.checkpoints.patch(id))).toContain('-one\n+two\n');
    const { newest, pack } = await client.checkpoints.changes(id);
    expect([newest, (await buffer(pack)).subarray(0, 4).toString()]).toEqual([parent, 'PACK']);
    for (const path of ['diff', 'patch', 'changes'])
      expect((await bullpen.call(`/v1/tasks/${id}/${path}`, { key: bullpen.otherKey })).status).toBe(404);
    await packs.removeLine(id);
    const gone = await problemFrom(await bullpen.call(`/v1/tasks/${id}/patch`));
    expect(gone).toMatchObject({ status: 409, code: 'checkpoint_unavailable' });
  });
});

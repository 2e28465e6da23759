/** Workspaces over HTTP: where each is, what it takes, and nobody else's. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type BullpenClient } from '@bullpen/client';
import { PostgresPackStore, seeWorker } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

const HOUR = 3_600_000;

let bullpen: TestGateway;
let client: BullpenClient;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
  const facts = {
    pid: 1,
    slots: 1,
    running: 0,
    version: '0',
    simulated: true,
    providerKey: 'k',
    sandbox: 'none',
  };
  await seeWorker(bullpen.pool, { ...facts, id: 'worker_a', host: 'build-a', home: 'home-a', keepHours: 72 });
  await seeWorker(bullpen.pool, { ...facts, id: 'worker_old', host: 'build-b', home: 'home-b' }, true);
});
afterAll(() => bullpen?.close());

async function aTask(): Promise<string> {
  return (await client.tasks.create({ agent: 'explorer', prompt: 'Look.' })).id;
}
/** As a worker would have left it. */
async function aWorkspace(change: Record<string, unknown> = {}): Promise<string> {
  const id = typeof change['id'] === 'string' ? change['id'] : await aTask();
  const measured = { diskBytes: 5_000_000n, measuredAt: new Date() };
  await bullpen.prisma.workspace.create({ data: { id, rootId: id, home: 'home-a', ...measured, ...change } });
  return id;
}
const ended = (id: string) =>
  bullpen.pool.query(`UPDATE tasks SET state = 'completed', ended_at = now() WHERE id = $1`, [id]);

describe('workspaces', () => {
  it('are listed with where they are, what they take, and how long they stay', async () => {
    const open = await aWorkspace();
    await bullpen.pool.query(`UPDATE tasks SET state = 'running' WHERE id = $1`, [open]);
    const kept = await aWorkspace({ unsaved: true });
    const over = await aWorkspace();
    await ended(over);
    const away = await aWorkspace({ home: 'home-b' });
    const removed = await aWorkspace({ home: null });
    const lost = await aWorkspace({ home: 'home-b', unsaved: true });
    const content = (async function* () {
      yield new Uint8Array(700);
    })();
    await new PostgresPackStore(bullpen.pool).put({ id: 'c', line: kept, holds: ['c'], base: null }, content);
    const page = await client.workspaces.list({ limit: 50 });
    const seen = new Map(page.data.map((one) => [one.id, one]));
    expect(page.data.map(({ id }) => id)).toEqual([lost, removed, away, over, kept, open]);
    const here = { host: 'build-a', workerId: 'worker_a', diskBytes: 5_000_000, canRebuild: true };
    expect(seen.get(open)).toMatchObject({ ...here, state: 'open', kind: 'empty', title: 'Look.' });
    expect(seen.get(kept)).toMatchObject({
      state: 'kept',
      canRebuild: false,
      keptUntil: null,
      storedBytes: 700,
    });
    expect(seen.get(over)).toMatchObject({ ...here, state: 'kept', storedBytes: 0 });
    const left = Date.parse(seen.get(over)?.keptUntil ?? '') - Date.now();
    expect([left > 71 * HOUR, left < 73 * HOUR]).toEqual([true, true]);
    expect(seen.get(away)).toMatchObject({ state: 'away', host: 'build-b', canRebuild: true });
    expect(seen.get(lost)).toMatchObject({ state: 'away', canRebuild: false, unsaved: true });
    const nowhere = { state: 'removed', host: null, workerId: null, diskBytes: null, measuredAt: null };
    expect(seen.get(removed)).toMatchObject({ ...nowhere, canRebuild: true });
    expect(page.totals).toEqual({ workspaces: 6, onDisk: 5, diskBytes: 25_000_000, storedBytes: 700 });
  });

  it('of subtasks stand beside that of their root, whose store they share', async () => {
    const rootId = await aWorkspace();
    const id = await aTask();
    await bullpen.pool.query(`UPDATE tasks SET root_id = $2, parent_id = $2 WHERE id = $1`, [id, rootId]);
    await aWorkspace({ id, rootId, base: 'ckpt_1' });
    const [own] = (await client.workspaces.list({ limit: 1 })).data;
    expect(own).toMatchObject({ id, rootId, kind: 'subtask', storedBytes: null, canRebuild: true });
  });

  it('that are used in place are no folders of ours', async () => {
    const id = await aTask();
    const spec = JSON.stringify({ kind: 'path', path: '/srv/shop', copy: false });
    await bullpen.pool.query('UPDATE tasks SET workspace = $2::json WHERE id = $1', [id, spec]);
    const before = (await client.workspaces.list()).totals;
    await aWorkspace({ id });
    const { data, totals } = await client.workspaces.list({ limit: 1 });
    expect(data).toMatchObject([{ id, inPlace: true, kind: 'path', diskBytes: null, canRebuild: false }]);
    expect(totals).toEqual({ ...before, workspaces: before.workspaces + 1 });
  });

  it('are listed by pages, and nobody else’s', async () => {
    const first = await client.workspaces.list({ limit: 1 });
    const second = await client.workspaces.list({ limit: 1, after: first.nextCursor ?? '' });
    expect(second.data[0]?.id).not.toBe(first.data[0]?.id);
    const wrong = await bullpen.call('/v1/workspaces?after=x');
    expect(await problemFrom(wrong)).toMatchObject({ status: 400, code: 'invalid_request' });
    const other = await bullpen.call('/v1/workspaces', { key: bullpen.otherKey });
    expect(await other.json()).toMatchObject({
      data: [],
      totals: { workspaces: 0, onDisk: 0, diskBytes: 0, storedBytes: 0 },
    });
  });
});

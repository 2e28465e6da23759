/** Old folders of workspaces, on a real disk and database: what goes, and what stays. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '@bullpen/core';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { homeId, newId, silentLogger } from '@bullpen/platform';
import { PostgresPackStore, WorkspaceHouse } from '@bullpen/store';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';
import { Copies } from './copies.js';
import { House } from './house.js';

const scenario = defineScenario({ name: 'house', agents: { general: writesOnce } });

function writesOnce(turn: AgentTurn): Reply {
  if (turn.lastToolResults.length > 0) return { text: 'ok' };
  return { toolCalls: [{ name: 'write_file', input: { path: 'f', content: 'one' } }] };
}

const [backend] = queueBackends();
const signal = new AbortController().signal;
const NOTHING = { ended: 0, stale: 0, shadows: 0 };

backend?.describe('old workspaces', () => {
  let world: WorkerWorld;
  let home: string;

  beforeAll(async () => {
    world = await WorkerWorld.open(backend, scenario);
  });
  beforeEach(async () => {
    home = await aHome();
  });
  afterEach(async () => {
    await world.stopWorkers();
    await rm(home, { recursive: true, force: true });
  });
  afterAll(async () => {
    await world.expectInvariants();
    await world.close();
  });

  async function aHome(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-house-'));
    await chmod(folder, 0o711);
    return folder;
  }
  const house = (keepHours: number | null, at = home) =>
    new House({
      ...{ root: join(at, 'workspaces'), homesRoot: join(at, 'homes'), shadows: join(at, 'shadows') },
      ...{ home: homeId(at), keepHours, logger: silentLogger(), user: null, path: '/usr/bin' },
      copies: new Copies(join(at, 'shadows')),
      house: new WorkspaceHouse(world.pool),
      packs: new PostgresPackStore(world.pool),
    });
  async function ended(conversation = false): Promise<string> {
    const worker = await world.start({ BULLPEN_HOME: home });
    const id = await world.submit('go', { conversation });
    await world.until(id, conversation ? 'waiting' : 'completed');
    await world.stop(worker);
    return id;
  }
  const fileOf = (id: string) => join(home, 'workspaces', id, 'f');
  const there = async () => (await readdir(join(home, 'workspaces'))).sort();
  const homeInRow = async (id: string) =>
    (await world.pool.query<{ home: string | null }>('SELECT home FROM workspaces WHERE id = $1', [id])).rows;

  it('go when their tree ended, with all that belongs to them, and are to be made anew from what is stored', async () => {
    const id = await ended();
    expect(await house(0).tidy(signal)).toEqual({ ...NOTHING, ended: 1 });
    expect([await there(), await readdir(join(home, 'homes'))]).toEqual([[], []]);
    expect((await readdir(join(home, 'shadows'))).filter((name) => name.startsWith(id))).toEqual([]);
    expect(await homeInRow(id)).toEqual([{ home: null }]);
    expect(await house(0).tidy(signal)).toEqual(NOTHING);
  });

  it('go by a worker with the setting, and come back when the task goes on', async () => {
    const first = await world.start({ BULLPEN_HOME: home });
    const id = await world.submit('go', { limits: { ...DEFAULT_LIMITS, turns: 1 } });
    await world.until(id, 'failed');
    await world.stop(first);
    const worker = await world.start({ BULLPEN_HOME: home, WORKSPACE_KEEP_HOURS: '0' });
    await waitFor(async () => (await there()).length === 0, { what: 'the workspace to go' });
    await world.stop(worker);
    const more = { messageId: newId('inbox'), message: null, limits: { turns: 9 } };
    await world.commands.retry('default', id, more);
    await world.start({ BULLPEN_HOME: home });
    await world.until(id, 'completed');
    expect(await readFile(fileOf(id), 'utf8')).toBe('one');
  });

  it('stay while they are wanted: without a time, before it, and while the work goes on', async () => {
    const id = await ended();
    for (const hours of [null, 1]) expect(await house(hours).tidy(signal)).toEqual(NOTHING);
    const waiting = await ended(true);
    expect(await house(0).tidy(signal)).toEqual({ ...NOTHING, ended: 1 });
    expect([await there(), await homeInRow(id)]).toEqual([[waiting], [{ home: null }]]);
  });

  it('stay when a checkpoint does not hold what is in them', async () => {
    const id = await ended();
    await writeFile(fileOf(id), 'changed since');
    expect(await house(0).tidy(signal)).toEqual(NOTHING);
    await writeFile(fileOf(id), 'one');
    await world.pool.query('UPDATE workspaces SET unsaved = true WHERE id = $1', [id]);
    expect(await house(0).tidy(signal)).toEqual(NOTHING);
    expect(await there()).toEqual([id]);
  });

  it('stay when what is stored cannot be read', async () => {
    const id = await ended();
    await rm(join(home, 'shadows', id), { recursive: true });
    await world.pool.query('DELETE FROM checkpoint_packs WHERE line = $1', [id]);
    expect(await house(0).tidy(signal)).toEqual(NOTHING);
    expect(await there()).toEqual([id]);
  });

  it('go when their task is on another machine, unless it has no state that is stored', async () => {
    const id = await ended(true);
    await world.pool.query(
      `UPDATE workspaces SET home = 'home-b', epoch = epoch + 1, unsaved = true WHERE id = $1`,
      [id],
    );
    expect(await house(null).tidy(signal)).toEqual(NOTHING);
    await world.pool.query('UPDATE workspaces SET unsaved = false WHERE id = $1', [id]);
    expect(await house(null).tidy(signal)).toEqual({ ...NOTHING, stale: 1 });
    expect([await there(), await homeInRow(id)]).toEqual([[], [{ home: 'home-b' }]]);
  });

  it('go after a crash that came when the row had been told', async () => {
    const id = await ended();
    const rows = new WorkspaceHouse(world.pool);
    const row = await rows.look(id, 0);
    expect(row !== null && (await rows.release(row))).toBe(true);
    expect(await house(0).tidy(signal)).toEqual({ ...NOTHING, stale: 1 });
    expect(await there()).toEqual([]);
  });

  it('are not followed through a link, and what no row tells of stays but for what can be made again', async () => {
    const id = await ended();
    const elsewhere = join(home, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'f'), 'one');
    await rm(join(home, 'workspaces', id), { recursive: true });
    await symlink(elsewhere, join(home, 'workspaces', id));
    for (const name of ['task_unknown', `${id}.tmp-git`, `${id}.tmp-0123456789ab`])
      await mkdir(join(home, 'workspaces', name));
    for (const name of ['task_old', 'task_new']) await mkdir(join(home, 'shadows', name));
    await utimes(join(home, 'shadows', 'task_old'), 1, 1);
    expect(await house(0).tidy(signal)).toMatchObject({ shadows: 1 });
    expect(await readdir(elsewhere)).toEqual(['f']);
    expect(await there()).toEqual([id, 'task_unknown'].sort());
    const shadows = await readdir(join(home, 'shadows'));
    expect([shadows.includes('task_old'), shadows.includes('task_new')]).toEqual([false, true]);
  });
});

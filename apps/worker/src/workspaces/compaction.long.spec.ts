/** Checkpoints of trees that are over, thinned out in a real database; what is left can be made anew. */
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checkpoints, FolderPackStore, ObjectsMissing } from '@bullpen/checkpoints';
import type { PackStore } from '@bullpen/core';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { silentLogger } from '@bullpen/platform';
import { CheckpointHouse, PostgresPackStore } from '@bullpen/store';
import { queueBackends } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';
import { compact, compactionJob } from './compaction.js';

const scenario = defineScenario({ name: 'compaction', agents: { general: writesThrice } });

function writesThrice({ lastToolResults }: AgentTurn): Reply {
  const last = Number(lastToolResults[0]?.text.match(/f(\d)/)?.[1] ?? 0);
  if (last === 3) return { text: 'ok' };
  const path = `f${last + 1}`;
  return { toolCalls: [{ name: 'write_file', input: { path, content: path } }] };
}

const [backend] = queueBackends();
const signal = new AbortController().signal;

backend?.describe('checkpoints of ended tasks', () => {
  let world: WorkerWorld;
  let folder: string;
  let packs: PackStore;

  beforeAll(async () => {
    world = await WorkerWorld.open(backend, scenario);
    folder = await mkdtemp(join(tmpdir(), 'bullpen-compaction-'));
    packs = new PostgresPackStore(world.pool);
    await world.start();
  });
  beforeEach(async () => {
    await world.pool.query('DELETE FROM checkpoint_packs');
  });
  afterAll(async () => {
    await world.expectInvariants();
    await world.close();
    await rm(folder, { recursive: true });
  });

  const options = (
    change: { keepDays?: number | null; mostBytes?: number | null; packs?: PackStore } = {},
  ) => ({
    ...{ packs, house: new CheckpointHouse(world.pool), shadows: join(folder, 'shadows') },
    ...{ keepDays: 1, mostBytes: null, logger: silentLogger(), ...change },
  });
  async function ended(daysAgo: number): Promise<string> {
    const id = await world.submit('go');
    await world.until(id, 'completed');
    await world.pool.query(`UPDATE tasks SET ended_at = now() - $2::int * interval '1 day' WHERE id = $1`, [
      id,
      daysAgo,
    ]);
    return id;
  }
  const commits = async (id: string) =>
    (
      await world.pool.query<{ commit: string }>(
        'SELECT commit FROM checkpoints WHERE root_id = $1 ORDER BY number',
        [id],
      )
    ).rows.map(({ commit }) => commit);
  async function rebuilt(id: string, commit: string, from: PackStore = packs): Promise<string> {
    const place = await mkdtemp(join(folder, 'rebuilt-'));
    const made = new Checkpoints({
      shadow: { folder: join(place, 'shadow') },
      ...{ workspace: '', line: id, packs: from, coverage: {}, owner: null },
    });
    await made.rebuild(commit, join(place, 'files'), signal);
    return readFile(join(place, 'files', 'f3'), 'utf8');
  }

  it('are thinned out to the first and the last once they are old, in one pack', async () => {
    const [old, young] = [await ended(3), await ended(0)];
    const all = await commits(old);
    expect(all.length).toBeGreaterThan(2);
    expect(await compact(options(), signal)).toEqual([old]);
    expect(await commits(old)).toEqual([all[0], all.at(-1)]);
    expect(await packs.list(old)).toHaveLength(1);
    expect(await rebuilt(old, String(all.at(-1)))).toBe('f3');
    await expect(rebuilt(old, String(all[1]))).rejects.toThrow(ObjectsMissing);
    expect(await commits(young)).toHaveLength(all.length);
    expect(await compact(options(), signal)).toEqual([]);
  });

  it('keep one that a copy was made from', async () => {
    const id = await ended(3);
    const [, second] = await commits(id);
    await world.pool.query(
      `UPDATE workspaces SET rebuilt_from = (SELECT c.id FROM checkpoints c WHERE c.commit = $2 AND c.root_id = $1) WHERE id = $1`,
      [id, second],
    );
    await compact(options(), signal);
    expect(await commits(id)).toHaveLength(3);
    expect(await commits(id)).toContain(second);
  });

  it('are finished by the next run when a crash came after their rows', async () => {
    const id = await ended(3);
    const kept = await new CheckpointHouse(world.pool).thin(id);
    expect((await packs.list(id)).length).toBeGreaterThan(1);
    expect(await compact(options(), signal)).toEqual([id]);
    expect((await packs.list(id)).map(({ holds }) => [...holds].sort())).toEqual([[...(kept ?? [])].sort()]);
  });

  it('stay while the task goes on, also when it was continued since it was chosen', async () => {
    const id = await ended(3);
    const all = await commits(id);
    await world.pool.query(`UPDATE tasks SET state = 'queued' WHERE id = $1`, [id]);
    expect(await new CheckpointHouse(world.pool).thin(id)).toBeNull();
    expect(await compact(options(), signal)).toEqual([]);
    await world.pool.query(`UPDATE tasks SET state = 'completed' WHERE id = $1`, [id]);
    expect(await commits(id)).toEqual(all);
  });

  it('are thinned out before their time while too much is stored, the oldest first and no more than needed', async () => {
    const [older, newer] = [await ended(2), await ended(1)];
    const bytes = (await packs.lines()).reduce((sum, line) => sum + line.bytes, 0);
    expect(await compact(options({ keepDays: null, mostBytes: bytes }), signal)).toEqual([]);
    expect(await compact(options({ keepDays: null, mostBytes: bytes - 1 }), signal)).toEqual([older]);
    expect(await packs.list(older)).toHaveLength(1);
    expect((await packs.list(newer)).length).toBeGreaterThan(1);
  });

  it('are thinned out in a shared folder as well', async () => {
    const id = await ended(3);
    const shared = new FolderPackStore(join(folder, 'shared'));
    for (const pack of await packs.list(id)) await shared.put(pack, packs.read(id, pack.id));
    const all = await commits(id);
    expect(await compact(options({ packs: shared }), signal)).toEqual([id]);
    expect(await shared.lines()).toMatchObject([{ line: id, packs: 1 }]);
    expect(await rebuilt(id, String(all.at(-1)), shared)).toBe('f3');
  });

  it('are no work where no setting asks for it', () => {
    expect(compactionJob(options({ keepDays: null }), signal)).toEqual([]);
    expect(compactionJob(options(), signal)).toHaveLength(1);
  });
});

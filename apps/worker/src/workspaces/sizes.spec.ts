/** The sizes that a worker writes down, on a real disk and database. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { homeId, newId, silentLogger } from '@bullpen/platform';
import { WorkspaceHouse } from '@bullpen/store';
import { queueBackends } from '@bullpen/testing';
import { WorkerWorld } from '../../test/worker-world.js';
import { Sizes } from './sizes.js';

const MB = 1_024 ** 2;
const scenario = defineScenario({ name: 'sizes', agents: { general } });

function general(turn: AgentTurn): Reply {
  if (turn.lastToolResults.length > 0) return { text: 'ok' };
  return { toolCalls: [{ name: 'write_file', input: { path: 'f', content: 'one' } }] };
}

const [backend] = queueBackends();
const signal = new AbortController().signal;

backend?.describe('the size of a workspace', () => {
  let world: WorkerWorld;
  let home: string;
  beforeAll(async () => {
    world = await WorkerWorld.open(backend, scenario);
    home = await mkdtemp(join(tmpdir(), 'bullpen-sizes-'));
    await chmod(home, 0o711);
  });
  afterAll(async () => {
    await world.expectInvariants();
    await world.close();
    await rm(home, { recursive: true, force: true });
  });

  const sizes = () =>
    new Sizes({
      ...{ house: new WorkspaceHouse(world.pool), home: homeId(home), path: '/usr/bin:/bin' },
      ...{ root: join(home, 'workspaces'), homesRoot: join(home, 'homes'), shadows: join(home, 'shadows') },
      logger: silentLogger(),
    });
  const inRow = async (id: string) =>
    (
      await world.pool.query<{ bytes: number | null; measured: Date | null }>(
        'SELECT disk_bytes::float8 AS bytes, measured_at AS measured FROM workspaces WHERE id = $1',
        [id],
      )
    ).rows[0];

  it('is measured once a run has worked there, again while one works only after a while, and when that has ended', async () => {
    const worker = await world.start({ BULLPEN_HOME: home });
    const id = await world.submit('go', { conversation: true });
    await world.until(id, 'waiting');
    await world.stop(worker);
    const house = sizes();
    await house.measure(signal);
    expect(await inRow(id)).toEqual({ bytes: null, measured: null });
    house.used(id);
    house.used(newId('task'));
    await house.measure(signal);
    const small = await inRow(id);
    expect(small?.bytes).toBeGreaterThan(3);
    await writeFile(join(home, 'workspaces', id, 'large'), Buffer.alloc(3 * MB, 1));
    await house.measure(signal);
    expect(await inRow(id)).toEqual(small);
    const task = (state: string) =>
      world.pool.query('UPDATE tasks SET state = $2::task_state WHERE id = $1', [id, state]);
    await task('running');
    house.used(id);
    await house.measure(signal);
    expect(await inRow(id)).toEqual(small);
    await world.pool.query(`UPDATE workspaces SET measured_at = now() - interval '1 hour' WHERE id = $1`, [
      id,
    ]);
    await house.measure(signal);
    expect((await inRow(id))?.bytes).toBeGreaterThan(3 * MB);
    await rm(join(home, 'workspaces', id, 'large'));
    await task('waiting');
    await house.measure(signal);
    expect((await inRow(id))?.bytes).toBeLessThan(3 * MB);
  });

  it('is not written down for a copy that has moved, nor for a folder that is used in place', async () => {
    const own = await mkdtemp(join(tmpdir(), 'bullpen-own-'));
    await chmod(own, 0o777);
    const worker = await world.start({ BULLPEN_HOME: home });
    const spec = { kind: 'path', path: own, copy: false } as const;
    const inPlace = await world.submit('go', {}, null, spec);
    const moved = await world.submit('go');
    await world.until(inPlace, 'completed');
    await world.until(moved, 'completed');
    await world.stop(worker);
    await world.pool.query(`UPDATE workspaces SET home = 'elsewhere' WHERE id = $1`, [moved]);
    const house = sizes();
    for (const id of [inPlace, moved]) house.used(id);
    await house.measure(signal);
    for (const id of [inPlace, moved]) expect((await inRow(id))?.bytes).toBeNull();
    await rm(own, { recursive: true });
  });
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPool, PostgresPackStore } from '@bullpen/store';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import { tmpdir } from 'node:os';
import { checkpointCheck, roomCheck, roomOf, workspaceCheck } from './workspace-checks.js';

describe('the room on the disk', () => {
  it('is a warning when there is little of it, and unknown without a folder', async () => {
    expect(roomOf('/data', 500_000_000_000)).toMatchObject({
      ...{ status: 'ok', proof: '500 GB free at /data' },
    });
    expect(roomOf('/data', 1_024 ** 3)).toMatchObject({ status: 'warn', fix: expect.any(String) });
    expect(await roomCheck(tmpdir())).not.toBeNull();
    expect(await roomCheck('/no/such/folder')).toBeNull();
  });
});

describe('what is stored', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 1, applicationName: 'spec' });
    const content = (async function* () {
      yield new Uint8Array(1_024 ** 2);
    })();
    await new PostgresPackStore(pool).put({ id: 'c1', line: 'task_1', holds: ['c1'], base: null }, content);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('lies on disks, too, which is said as `bullpen workspaces` says it', async () => {
    expect(await workspaceCheck(pool)).toEqual({
      ...{ name: 'Workspaces', status: 'info' },
      proof: '0 workspaces, 0 on disk (0 B)',
    });
  });

  it('is summed up, and a warning once no more is taken', async () => {
    const settings = { CHECKPOINTS: true, CHECKPOINT_STORE: 'postgres' } as const;
    expect(await checkpointCheck(settings, pool)).toEqual({
      ...{ name: 'Checkpoints', status: 'ok' },
      proof: '1.0 MB of 1 task tree in PostgreSQL',
    });
    expect(await checkpointCheck({ ...settings, CHECKPOINT_TOTAL_BYTES: 1_000 }, pool)).toMatchObject({
      status: 'warn',
    });
    expect(await checkpointCheck({ ...settings, CHECKPOINTS: false }, pool)).toMatchObject({
      status: 'info',
    });
  });
});

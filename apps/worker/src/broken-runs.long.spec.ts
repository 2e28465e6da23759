/**
 * What breaks a run off while its worker lives: the task fails at once with the reason, or goes on; it never looks like a
 * crash. Slow, because a database stays away for longer than a lease, on both backends.
 */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { defineScenario } from '@bullpen/model-sim';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

const scenario = defineScenario({
  name: 'broken-runs',
  agents: {
    general: (turn) =>
      turn.turnIndex < 6
        ? { toolCalls: [{ name: 'list_files', input: { depth: turn.turnIndex + 1 } }] }
        : { text: 'done' },
  },
});

for (const backend of queueBackends()) {
  backend.describe('a run that breaks off', () => {
    let world: WorkerWorld;
    let source: string;

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
      // The next step takes a crash back, so a look at the end would find none in any case.
      await world.pool.query(`
        CREATE TABLE crashes_seen (task_id text);
        CREATE FUNCTION see_crash() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN INSERT INTO crashes_seen VALUES (NEW.id); RETURN NEW; END';
        CREATE TRIGGER crash AFTER UPDATE ON tasks FOR EACH ROW WHEN (NEW.crashes > OLD.crashes) EXECUTE FUNCTION see_crash()`);
    });
    beforeEach(async () => {
      source = await mkdtemp(join(tmpdir(), 'broken-runs-'));
      await chmod(source, 0o755);
      await writeFile(join(source, 'plain'), 'x');
    });
    afterEach(async () => {
      await world.stopWorkers();
      await rm(source, { recursive: true, force: true });
    });
    afterAll(() => world.close());

    const submitCopy = () => world.submit('copy', {}, null, { kind: 'path', path: source, copy: true });
    const look = async (id: string) => {
      const { rows } = await world.pool.query<{
        state: string;
        crashes: number;
        epoch: number;
        failure: { code: string; message: string } | null;
      }>('SELECT state, crashes, epoch, failure FROM tasks WHERE id = $1', [id]);
      return rows[0];
    };

    it('on a folder that cannot be copied fails at once, and says what it was', async () => {
      // As long as paths may be here, and so too long below the folder of the workspaces.
      const deep = join(source, ...Array.from({ length: 16 }, () => 'd'.repeat(250)));
      await mkdir(deep, { recursive: true });
      await writeFile(join(deep, 'n'.repeat(4_090 - deep.length)), '');
      await world.start();
      const id = await submitCopy();
      await world.until(id, 'failed', 5_000);
      expect(await look(id)).toMatchObject({
        ...{ crashes: 0, epoch: 1 },
        failure: { code: 'invalid_workspace', message: expect.stringContaining('too long in the copy') },
      });
    });

    it('for names that are no UTF-8, sockets and pipes does not: the rest is copied, and the task says what is missing', async () => {
      await writeFile(Buffer.concat([Buffer.from(`${source}/odd-`), Buffer.from([0xff])]), 'odd');
      execFileSync('mkfifo', [join(source, 'pipe')]);
      await world.start();
      const id = await submitCopy();
      await world.until(id, 'completed');
      const { rows } = await world.pool.query<{ data: unknown }>(
        `SELECT data FROM ui_events WHERE task_id = $1 AND type = 'workspace.incomplete'`,
        [id],
      );
      expect(rows).toEqual([{ data: { total: 1, leftOut: [{ path: 'pipe', why: 'pipe' }] } }]);
      await world.expectInvariants();
    });

    it('by a database that goes away for longer than its lease goes on from what is stored, and counts no crash', async () => {
      const leases = { LEASE_MS: '2000', RENEW_MS: '500' };
      await Promise.all([world.start(leases), world.start(leases)]);
      const ids = await Promise.all(Array.from({ length: 6 }, () => world.submit('go on')));
      await waitFor(async () => (await look(ids[0] ?? ''))?.epoch === 1, { what: 'a run' });
      await world.database.goAway(4_000);
      for (const id of ids) await world.until(id, 'completed');
      expect((await world.pool.query('SELECT task_id FROM crashes_seen')).rows).toEqual([]);
      await world.expectInvariants();
    });
  });
}

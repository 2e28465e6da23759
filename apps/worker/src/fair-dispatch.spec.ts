/** Dispatch from backlog to worker: real Postgres, both queue backends, runs that end when the test says so. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId, silentLogger } from '@bullpen/platform';
import { Announcer, openTaskQueue, QueueWorker, type QueueConnection, type TaskQueue } from '@bullpen/queue';
import { createPool, Dispatches, PostgresTaskStore, seeWorker, StoreReconciler } from '@bullpen/store';
import { queueBackends, testDatabase, waitFor, type TestDatabase, type TestRedis } from '@bullpen/testing';
import { reconcilerJobs } from './reconciler-jobs.js';

type Pool = ReturnType<typeof createPool>;

for (const backend of queueBackends()) {
  backend.describe('fair dispatch', () => {
    let database: TestDatabase;
    let redis: TestRedis | null;
    let pool: Pool;
    let queue: TaskQueue;
    let announcer: Announcer;
    let dispatches: Dispatches;
    let connection: QueueConnection;
    let workers: QueueWorker[];
    let starts: string[];

    beforeAll(async () => {
      [database, redis] = await Promise.all([testDatabase(), backend.start()]);
      pool = createPool({ databaseUrl: database.url, max: 10, applicationName: 'fair-dispatch-spec' });
      connection = redis
        ? { kind: 'redis', redisUrl: redis.url, prefix: 'spec' }
        : { kind: 'postgres', databaseUrl: database.url };
      queue = openTaskQueue(connection, silentLogger(), 15_000);
      const answers = () =>
        queue.ping().then(
          () => true,
          () => false,
        );
      await waitFor(answers, { what: 'the queue' });
      dispatches = new Dispatches(pool);
      const bus = { publish: () => undefined };
      announcer = new Announcer({ queue, bus, backlog: dispatches, logger: silentLogger() });
    });
    beforeEach(async () => {
      await pool.query('TRUNCATE tenants, tasks, workers CASCADE');
      workers = [];
      starts = [];
    });
    afterEach(async () => {
      await Promise.all(workers.map((worker) => worker.close(5_000)));
      await announcer.settled();
    });
    afterAll(async () => {
      await Promise.all([queue.close(), pool.end()]);
      await Promise.all([database.drop(), redis?.stop()]);
    });

    /** A worker whose runs do what `run` does between claim and end. */
    async function start(slots: number, run: (tenant: string) => Promise<void>): Promise<void> {
      const workerId = newId('worker');
      const store = new PostgresTaskStore({ pool, leaseMs: 60_000, newId });
      await seeWorker(pool, {
        id: workerId,
        host: 'h',
        pid: 1,
        slots,
        running: 0,
        version: '0',
        simulated: true,
        providerKey: 'none',
        sandbox: 'none',
      });
      const worker = new QueueWorker({
        connection,
        slots,
        logger: silentLogger(),
        activate: async ({ taskId, wake }) => {
          try {
            if ((await store.claim(taskId, wake, workerId)) === null) return;
            const { rows } = await pool.query<{ tenant_id: string }>(
              'SELECT tenant_id FROM tasks WHERE id = $1',
              [taskId],
            );
            starts.push(taskId);
            await run(rows[0]?.tenant_id ?? '');
            await pool.query(`UPDATE tasks SET state = 'completed', worker_id = NULL WHERE id = $1`, [
              taskId,
            ]);
          } finally {
            void announcer.dispatch();
          }
        },
      });
      workers.push(worker);
      worker.start();
      void announcer.dispatch();
    }

    async function tenant(id: string, maxRunning: number | null = null): Promise<void> {
      await pool.query('INSERT INTO tenants (id, name, max_running) VALUES ($1, $1, $2)', [id, maxRunning]);
    }

    async function queued(of: string, count: number): Promise<string[]> {
      const ids = Array.from({ length: count }, () => newId('task'));
      await pool.query(
        `WITH born AS (
           INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, workspace)
           SELECT id, $2, id, 'T', 'a', 'm', '{}', 'P', '{}' FROM unnest($1::text[]) AS n(id) RETURNING id)
         INSERT INTO dispatches (task_id, wake, tenant_id) SELECT id, 1, $2 FROM born`,
        [ids, of],
      );
      return ids;
    }

    async function submit(of: string, count: number): Promise<string[]> {
      const ids = await queued(of, count);
      announcer.committed({ wakes: ids.map((taskId) => ({ taskId, wake: 1 })), rows: [], cancels: [] });
      return ids;
    }

    const allEnded = (ids: readonly string[]) =>
      waitFor(
        async () =>
          (
            await pool.query<{ ended: boolean }>(
              `SELECT bool_and(state = 'completed') AS ended FROM tasks WHERE id = ANY ($1)`,
              [ids],
            )
          ).rows[0]?.ended,
        { what: `${ids.length} tasks to end` },
      );

    it('starts a task of a second tenant after a few of the ten thousand that came before it', async () => {
      await tenant('a');
      await tenant('b');
      await submit('a', 10_000);
      await start(2, () => Promise.resolve());
      await waitFor(() => starts.length >= 10, { what: 'the first starts' });
      for (let n = 0; n < 3; n += 1) {
        const [id = ''] = await submit('b', 1);
        const before = starts.length;
        await waitFor(() => starts.includes(id), { what: 'a start of the second tenant' });
        // Some end while the round runs that admits it; those behind them have to wait.
        expect(starts.indexOf(id) - before).toBeLessThanOrEqual(12);
      }
      expect((await queue.depth()).waiting).toBeLessThanOrEqual(4);
      // What is left of the ten thousand is nobody's concern.
      await pool.query('DELETE FROM dispatches');
    });

    it('never runs more of a tenant than its limit, on several workers, and runs all at last', async () => {
      await tenant('a', 2);
      await tenant('b');
      const running = { a: 0, b: 0 };
      const most = { a: 0, b: 0 };
      const run = async (name: string): Promise<void> => {
        const key = name === 'a' ? 'a' : 'b';
        running[key] += 1;
        most[key] = Math.max(most[key], running[key]);
        await pool.query('SELECT pg_sleep(0.01)');
        running[key] -= 1;
      };
      await Promise.all([start(3, run), start(3, run)]);
      const ids = (await Promise.all([submit('a', 25), submit('b', 25), submit('a', 15)])).flat();
      await allEnded(ids);
      expect(most.a).toBeLessThanOrEqual(2);
      expect(most.b).toBeGreaterThan(2);
      expect(new Set(starts).size).toBe(starts.length);
    });

    it('finds a wake again that was admitted by a process that died before it announced it, and nothing else', async () => {
      await tenant('a');
      const store = new StoreReconciler({ pool, onCommitted: (effects) => announcer.committed(effects) });
      const jobs = reconcilerJobs({ store, dispatches, announcer, queue });
      const lost = jobs.find(({ name }) => name === 'lost_announcement');
      if (!lost) throw new Error('no such job');
      await submit('a', 3);
      await announcer.settled();
      await pool.query(`UPDATE dispatches SET announced_at = now() - interval '1 hour'`);
      // All of them stand in line for a worker, however long it takes.
      expect(await lost.run()).toBe(0);
      await pool.query('UPDATE dispatches SET announced_at = now()');
      const [quiet = ''] = await queued('a', 1);
      // Admitted, and nobody lives to announce it.
      expect((await dispatches.admit([])).map(({ taskId }) => taskId)).toEqual([quiet]);
      expect(await lost.run()).toBe(0);
      await pool.query(`UPDATE dispatches SET announced_at = now() - interval '1 hour' WHERE task_id = $1`, [
        quiet,
      ]);
      expect(await lost.run()).toBe(1);
      await start(2, () => Promise.resolve());
      await waitFor(() => starts.length >= 4, { what: 'all of them' });
    });
  });
}

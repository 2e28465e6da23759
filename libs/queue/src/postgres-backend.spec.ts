import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@bullpen/platform';
import {
  ENDED_AT_ONCE,
  fakePostgres,
  pgBouncerAvailable,
  testDatabase,
  testPgBouncer,
  waitFor,
} from '@bullpen/testing';
import type { PostgresQueueBackend } from 'bullmq';
import { backendFactory, bullOptions, QUEUE_NAME } from './connection.js';
import { openTaskQueue } from './open.js';
import { QueueWorker } from './queue-worker.js';
import { aWake } from './testing/builders.js';

describe('the connection on which a worker listens for jobs', () => {
  it('may be ended as soon as it is made: that is an error, and not the end of the process', async () => {
    const server = await fakePostgres(ENDED_AT_ONCE);
    const connection = { kind: 'postgres', databaseUrl: server.url } as const;
    const backend = backendFactory(connection)(
      QUEUE_NAME,
      bullOptions(connection, 'worker'),
    ) as PostgresQueueBackend;
    const errors: unknown[] = [];
    backend.on('error', (error) => errors.push(error));
    const lost = async () => {
      const client = await backend.connection.getListenClient();
      await client.query('LISTEN anything');
    };
    for (let n = 0; n < 3; n += 1) await expect(lost()).rejects.toThrow();
    expect(server.answered).toBeGreaterThanOrEqual(3);
    await backend.close().catch(() => undefined);
    await server.close();
  });
});

/** Skipped where the machine has no PgBouncer (Debian: `apt-get install pgbouncer`). */
const describeWithPgBouncer = pgBouncerAvailable() ? describe : describe.skip;

describeWithPgBouncer('the queue through PgBouncer with a pool of sessions', () => {
  it('takes jobs and hands them out, with the settings that PgBouncer has by itself', async () => {
    const database = await testDatabase();
    const pooler = await testPgBouncer(database.url, { poolMode: 'session' });
    const connection = { kind: 'postgres', databaseUrl: pooler.url } as const;
    const queue = openTaskQueue(connection, silentLogger(), 15_000);
    const activated: string[] = [];
    const wake = aWake();
    const worker = new QueueWorker({
      connection,
      slots: 1,
      logger: silentLogger(),
      activate: ({ taskId }) => Promise.resolve(void activated.push(taskId)),
      reactivate: () => Promise.resolve(),
    });
    try {
      await queue.ping();
      worker.start();
      expect(await queue.announce([wake])).toMatchObject({ failed: [] });
      await waitFor(() => activated.includes(wake.taskId), { what: 'the job to come' });
    } finally {
      await worker.close(0);
      await queue.close();
      await pooler.stop();
      await database.drop();
    }
  });
});

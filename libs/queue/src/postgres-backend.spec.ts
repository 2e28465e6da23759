import { describe, expect, it } from '@jest/globals';
import { ENDED_AT_ONCE, fakePostgres } from '@bullpen/testing';
import type { PostgresQueueBackend } from 'bullmq';
import { backendFactory, bullOptions, QUEUE_NAME } from './connection.js';

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

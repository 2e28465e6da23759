/** Both backends for a spec, each with nothing in it. */
import { testDatabase, testRedis, type TestDatabase } from '@bullpen/testing';
import { Client } from 'pg';
import type { QueueConnection } from '../connection.js';

export interface Backend {
  /** A connection that no other test uses. */
  connection(): Promise<QueueConnection>;
  close(): Promise<void>;
}

/** Runs statements on a connection of their own; returns the rows of a single one. */
export async function onDatabase(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql, values);
    return rows;
  } finally {
    await client.end();
  }
}

export async function redisBackend(): Promise<Backend> {
  const server = await testRedis();
  let n = 0;
  return {
    connection: () => {
      n += 1;
      return Promise.resolve({ kind: 'redis', redisUrl: server.url, prefix: `t${n}` });
    },
    close: () => server.stop(),
  };
}

export function postgresBackend(): Promise<Backend> {
  const databases: TestDatabase[] = [];
  return Promise.resolve({
    connection: async () => {
      const database = await testDatabase();
      databases.push(database);
      return { kind: 'postgres', databaseUrl: database.url };
    },
    close: async () => {
      await Promise.all(databases.map((database) => database.drop()));
    },
  });
}

/** `describe.each` over both. */
export const BACKENDS = [
  ['Redis', redisBackend],
  ['Postgres', postgresBackend],
] as const;

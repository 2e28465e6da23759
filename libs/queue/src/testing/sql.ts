/** SQL from outside, as an administrator has it. */
import { Client } from 'pg';

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

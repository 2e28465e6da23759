/** A migrated database of its own for one figure, on the bench's server. */
import { createPool, migrate } from '@bullpen/store';

export type Pool = ReturnType<typeof createPool>;

export interface Database {
  readonly url: string;
  readonly pool: Pool;
  drop(): Promise<void>;
}

let made = 0;

/** Makes one; `max` is the size of its pool. */
export async function makeDatabase(serverUrl: string, max = 20): Promise<Database> {
  const { url, drop } = await makeEmptyDatabase(serverUrl);
  await migrate({ databaseUrl: url });
  const pool = createPool({ databaseUrl: url, max, applicationName: 'bench' });
  await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'Bench') ON CONFLICT DO NOTHING`);
  return {
    url,
    pool,
    drop: async () => {
      await pool.end();
      await drop();
    },
  };
}

/** One with nothing in it, for a peer. */
export async function makeEmptyDatabase(serverUrl: string): Promise<Pick<Database, 'url' | 'drop'>> {
  made += 1;
  const name = `bench_${made}`;
  await onServer(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: async () => void (await onServer(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)),
  };
}

/** One statement on the server's own database; gives the first column of the first row as text. */
export async function onServer(serverUrl: string, sql: string): Promise<string> {
  const pool = createPool({ databaseUrl: serverUrl, max: 1, applicationName: 'bench admin' });
  try {
    const { rows } = await pool.query<Record<string, unknown>>(sql);
    return String(Object.values(rows[0] ?? {})[0] ?? '');
  } finally {
    await pool.end();
  }
}

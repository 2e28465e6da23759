/** A Postgres of the fault suite's own, with nothing in it that anybody would miss. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@bullpen/platform';
import { createPool, migrate, startEmbeddedPostgres } from '@bullpen/store';

/** Power cuts are no part of the suite, and not waiting for the disk makes a step several times faster. */
const FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
};
const TEMPLATE = 'faults_template';

export interface ScratchPostgres {
  /** Makes a migrated, empty database and gives its URL; `name` must be new. */
  database(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it; about 5 s. The caller stops it, which removes all of its data. */
export async function startScratchPostgres(): Promise<ScratchPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'bullpen-faults-'));
  // Under root the server runs as another user, who must get through.
  await chmod(folder, 0o711);
  const server = await startEmbeddedPostgres({
    home: join(folder, 'home'),
    logger: silentLogger(),
    settings: FAST_SETTINGS,
  });
  const urlOf = (database: string) => {
    const url = new URL(server.url);
    url.pathname = `/${database}`;
    return url.href;
  };
  const admin = createPool({ databaseUrl: urlOf('postgres'), max: 1, applicationName: 'bullpen-faults' });
  await admin.query(`CREATE DATABASE "${TEMPLATE}"`);
  await migrate({ databaseUrl: urlOf(TEMPLATE) });
  return {
    database: async (name) => {
      await admin.query(`CREATE DATABASE "${name}" TEMPLATE "${TEMPLATE}"`);
      return urlOf(name);
    },
    drop: async (name) => {
      await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    },
    stop: async () => {
      await admin.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

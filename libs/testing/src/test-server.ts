/** The one Postgres of a test run, started by the first spec that needs it, with a migrated template database. */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@bullpen/platform';

/** Loaded when first used: specs of pure code import this library for its doubles, and should not wait for Prisma. */
const store = () => import('@bullpen/store');

const START_TIMEOUT_MS = 60_000;

/** Nobody needs this data after a power cut, and not waiting for the disk makes a step several times faster. */
const FAST_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
};

export interface TestServer {
  /** URL of the server's `postgres` database, for making others. */
  readonly adminUrl: string;
  /** Name of the migrated database to copy. */
  readonly template: string;
  readonly ownerPid: number | null;
}

/** The run's server. With `TEST_DATABASE_URL` set, that one is used and only a template database is made on it. */
export async function testServer(): Promise<TestServer> {
  const folder = process.env['BULLPEN_TEST_FOLDER'];
  if (folder === undefined)
    throw new Error('There is no test run: start specs with Jest and its global setup (libs/testing/jest)');
  if (await isFirst(folder)) await startAndPublish(folder);
  return readPublished(folder);
}

/** Spec files run in processes of their own: making a folder is the one thing that only one of them can do. */
async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(join(folder, 'starting'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function startAndPublish(folder: string): Promise<void> {
  try {
    await publish(folder, await start(folder));
  } catch (error) {
    await publish(folder, {
      failed: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
}

async function start(folder: string): Promise<TestServer> {
  const { migrate, startEmbeddedPostgres } = await store();
  const given = process.env['TEST_DATABASE_URL'];
  const runPid = Number(process.env['BULLPEN_TEST_RUN_PID']);
  const server =
    given === undefined
      ? await startEmbeddedPostgres({
          home: join(folder, 'home'),
          logger: silentLogger(),
          settings: FAST_SETTINGS,
          untilProcessEnds: runPid,
        })
      : null;
  const adminUrl = withDatabase(server?.url ?? given ?? '', 'postgres');
  const template = `bullpen_template_${runPid}`;
  await onServer(adminUrl, `DROP DATABASE IF EXISTS "${template}" WITH (FORCE)`);
  await onServer(adminUrl, `CREATE DATABASE "${template}"`);
  await migrate({ databaseUrl: withDatabase(adminUrl, template) });
  return { adminUrl, template, ownerPid: server?.ownerPid ?? null };
}

/** Runs one statement on the server, on a connection of its own. */
export async function onServer(adminUrl: string, sql: string): Promise<void> {
  const { createPool } = await store();
  const pool = createPool({ databaseUrl: adminUrl, max: 1, applicationName: 'bullpen-testing' });
  try {
    await pool.query(sql);
  } finally {
    await pool.end();
  }
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

type Published = TestServer | { readonly failed: string };

async function publish(folder: string, content: Published): Promise<void> {
  const draft = join(folder, 'server.draft.json');
  await writeFile(draft, JSON.stringify(content), { mode: 0o600 });
  await rename(draft, join(folder, 'server.json'));
}

async function readPublished(folder: string): Promise<TestServer> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const text = await readFile(join(folder, 'server.json'), 'utf8').catch(() => null);
    if (text !== null) {
      const content = JSON.parse(text) as Published;
      if ('failed' in content) throw new Error(`The test database did not start: ${content.failed}`);
      return content;
    }
    if (performance.now() > deadline) throw new Error('The test database did not start in time');
    await sleep(20);
  }
}

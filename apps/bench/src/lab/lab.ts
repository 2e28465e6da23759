/** Where the figures are measured: a durable Postgres, a Redis, and a folder, all of the bench's own. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { silentLogger } from '@bullpen/platform';
import type { QueueConnection } from '@bullpen/queue';
import { startEmbeddedPostgres } from '@bullpen/store';
import { installPeers, type Installed } from '../peers/install.js';
import type { Backend } from '../report/measure.js';
import { makeDatabase, makeEmptyDatabase, onServer, type Database } from './database.js';
import { redisVersion, startRedis, type RedisServer } from './redis-server.js';

export interface Lab {
  readonly folder: string;
  /** Smaller counts. */
  readonly quick: boolean;
  /** Those that can be measured here, and were asked for. */
  readonly backends: readonly Backend[];
  readonly versions: { readonly postgres: string; readonly redis: string | null };
  /** Null when nothing is measured on it. */
  readonly redis: Pick<RedisServer, 'url' | 'pid'> | null;
  /** Options of Node for the product's processes. */
  readonly nodeOptions: readonly string[];
  /** Tells whoever waits what is going on. */
  readonly say: (text: string) => void;
  /** A fresh migrated database; the caller drops it. */
  database(max?: number): Promise<Database>;
  /** The same for a peer, which brings its own tables. */
  emptyDatabase(): Promise<Pick<Database, 'url' | 'drop'>>;
  /** The peers' packages; installed when a figure asks for the first time. */
  peers(): Promise<Installed>;
  /** Where the queue of a deployment on that database lives. */
  connection(backend: Backend, database: Database): QueueConnection;
  close(): Promise<void>;
}

/** Beside the results; kept from run to run. */
const PEER_CACHE = fileURLToPath(new URL('../../../../.bullpen/bench/peers', import.meta.url));

export interface LabOptions {
  readonly quick: boolean;
  readonly backend: Backend | null;
  readonly cpuProf?: string | null;
  readonly say: (text: string) => void;
}

/** Starts both servers. Throws when the one backend that was asked for is not there. */
export async function openLab({ quick, backend, cpuProf = null, say }: LabOptions): Promise<Lab> {
  const redis = redisVersion();
  if (backend === 'redis' && redis === null) throw new Error('There is no redis-server on the PATH');
  if (redis === null) say('there is no redis-server: only Postgres is measured');
  const wanted = backend === null ? (['redis', 'postgres'] as const) : [backend];
  const backends = wanted.filter((one) => one === 'postgres' || redis !== null);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'bullpen-bench-')));
  // The settings are the product's own: durable.
  const postgres = await startEmbeddedPostgres({ home: folder, logger: silentLogger() });
  let peers: Promise<Installed> | null = null;
  const server = backends.includes('redis') ? await startRedis(folder) : null;
  return {
    folder,
    quick,
    backends,
    versions: { postgres: await onServer(postgres.url, 'SHOW server_version'), redis },
    redis: server,
    nodeOptions: cpuProf === null ? [] : ['--cpu-prof', '--cpu-prof-dir', resolve(cpuProf)],
    say,
    database: (max) => makeDatabase(postgres.url, max),
    emptyDatabase: () => makeEmptyDatabase(postgres.url),
    peers: () => (peers ??= installPeers(PEER_CACHE, say)),
    connection: (one, database) => {
      if (one === 'postgres') return { kind: 'postgres', databaseUrl: database.url };
      if (server === null) throw new Error('There is no Redis');
      return { kind: 'redis', redisUrl: server.url, prefix: prefixOf(database) };
    },
    close: async () => {
      await server?.stop();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Each database is a deployment of its own, and so is its corner of the one Redis. */
export function prefixOf(database: Database): string {
  return new URL(database.url).pathname.slice(1);
}

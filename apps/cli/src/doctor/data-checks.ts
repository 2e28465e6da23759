/** Where the data lies: the home folder, PostgreSQL, Redis. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { UpSettings } from '@bullpen/platform';
import {
  createPool,
  embeddedUrlIfRunning,
  hasOwnSessions,
  migrationStatus,
  reconcilerRole,
  RENUMBER_TRANSACTIONS,
  transactionNumbers,
  type ReconcilerRole,
  type TransactionNumbers,
} from '@bullpen/store';
import { reasonOf } from '../errors.js';
import type { Check } from './check.js';
import { probeRedis } from './redis-probe.js';
import { checkpointCheck, roomCheck, workspaceCheck } from './workspace-checks.js';

type DataSettings = Pick<
  UpSettings,
  | 'BULLPEN_HOME'
  | 'CHECKPOINTS'
  | 'CHECKPOINT_STORE'
  | 'CHECKPOINT_TOTAL_BYTES'
  | 'DATABASE_URL'
  | 'REDIS_URL'
>;

/** The home folder, Postgres and Redis: each check with its proof, or with what to do. */
export async function dataChecks(settings: DataSettings): Promise<Check[]> {
  const [database, redis] = await Promise.all([checkPostgres(settings), checkRedis(settings)]);
  const room = await roomCheck(settings.BULLPEN_HOME);
  return [checkHome(settings.BULLPEN_HOME), ...(room === null ? [] : [room]), ...database, ...redis];
}

function checkHome(home: string): Check {
  const name = 'Home folder';
  const found = statSync(home, { throwIfNoEntry: false });
  if (found === undefined)
    return { name, status: 'info', proof: `${home} does not exist yet: bullpen up creates it` };
  if (!found.isDirectory())
    return { name, status: 'fail', proof: `${home} is not a folder`, fix: 'remove it, or set BULLPEN_HOME' };
  const open = ['.', 'key', 'up.json', 'logs', 'outputs', 'workspaces', 'homes', 'postgres'].flatMap((file) =>
    openTo(join(home, file), file),
  );
  if (open.length > 0)
    return {
      name,
      status: 'warn',
      proof: `others can read ${open.join(', ')}`,
      fix: `chmod -R go-rw ${home}`,
    };
  return {
    name,
    status: 'ok',
    proof: `${home}, mode ${(found.mode & 0o777).toString(8)}: nobody else can read what is in it`,
  };
}

/** Passing through (x) is fine: as root the database's user must. Reading and writing are not. */
function openTo(path: string, name: string): string[] {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  return (mode & 0o066) === 0 ? [] : [name === '.' ? 'the folder' : name];
}

async function checkPostgres(settings: DataSettings): Promise<Check[]> {
  const { BULLPEN_HOME, DATABASE_URL } = settings;
  const name = 'PostgreSQL';
  const url = DATABASE_URL ?? (await embeddedUrlIfRunning(BULLPEN_HOME));
  if (url === null)
    return [{ name, status: 'info', proof: 'no DATABASE_URL: the embedded one starts with bullpen up' }];
  const from = DATABASE_URL === undefined ? 'embedded' : 'DATABASE_URL';
  const pool = createPool({ databaseUrl: url, max: 1, applicationName: 'bullpen-doctor' });
  try {
    const { rows } = await pool.query<{ server_version: string }>('SHOW server_version');
    const sessions = await sessionCheck(url);
    // What follows would be asked of whatever session is free.
    if (sessions.status === 'fail') return [sessions];
    const migrations = migrationCheck(await migrationStatus(pool));
    return [
      { name, status: 'ok', proof: `${from}: answered as version ${rows[0]?.server_version ?? '?'}` },
      sessions,
      migrations,
      // Tables of another version are not looked into.
      ...(migrations.status === 'ok'
        ? [
            orderCheck(await transactionNumbers(pool)),
            reconcilerCheck(await reconcilerRole(pool)),
            await checkpointCheck(settings, pool),
            await workspaceCheck(pool),
          ]
        : []),
    ];
  } catch (error) {
    return [
      {
        name,
        status: 'fail',
        proof: `${from}: ${reasonOf(error)}`,
        fix: 'start that server, or correct DATABASE_URL',
      },
    ];
  } finally {
    await pool.end();
  }
}

async function sessionCheck(url: string): Promise<Check> {
  const name = 'Sessions';
  switch (await hasOwnSessions(url)) {
    case true:
      return { name, status: 'ok', proof: 'two connections each kept their own backend' };
    case null:
      return { name, status: 'warn', proof: 'there was no second connection to test this with' };
    case false:
      return {
        name,
        status: 'fail',
        proof: 'a pooler in front of PostgreSQL spreads transactions or statements over several sessions',
        fix: 'pool_mode=session for this database, or the address and port of PostgreSQL itself in DATABASE_URL',
      };
  }
}

function migrationCheck(status: Awaited<ReturnType<typeof migrationStatus>>): Check {
  const name = 'Migrations';
  const { pending, unknown, failed, edited } = status;
  const wrong = [...unknown, ...failed, ...edited];
  if (wrong.length > 0)
    return {
      name,
      status: 'fail',
      proof: `the database does not match this version: ${wrong.join(', ')}`,
      fix: 'use the version of Bullpen that matches, or another database',
    };
  if (pending.length > 0)
    return {
      name,
      status: 'fail',
      proof: `not applied yet: ${pending.join(', ')}`,
      fix: 'bullpen migrate (bullpen up does it as well)',
    };
  return { name, status: 'ok', proof: '_prisma_migrations holds all migrations of this version' };
}

/** The one process that repairs and fires what is due: without it nothing seems wrong for a while. */
export function reconcilerCheck({ held, workers }: ReconcilerRole): Check {
  const name = 'Reconciler';
  if (held)
    return { name, status: 'ok', proof: 'a connection "bullpen leader lock" holds the lock of the role' };
  if (workers === 0) return { name, status: 'info', proof: 'nobody has the role, as no worker runs' };
  return {
    name,
    status: 'fail',
    proof: `nobody has the role, although ${workers === 1 ? 'a worker was' : `${workers} workers were`} seen lately`,
    fix: 'look for "leader lock" in the worker logs; restart a worker to have it take the role',
  };
}

/** A backup that was restored into a new server has numbers that this one will not reach for long. */
export function orderCheck({ stored, next }: TransactionNumbers): Check {
  const name = 'Order';
  if (stored < next)
    return {
      name,
      status: 'ok',
      proof: `stored events are numbered up to ${stored}, and the server is at ${next}`,
    };
  return {
    name,
    status: 'fail',
    proof: `stored events have numbers of another server, up to ${stored}, but this one is at ${next}: new events would sort before old ones, and webhooks would get none`,
    fix: `stop gateway and workers, then run with psql: ${RENUMBER_TRANSACTIONS}`,
  };
}

async function checkRedis({ REDIS_URL }: DataSettings): Promise<Check[]> {
  const name = 'Redis';
  if (REDIS_URL === undefined)
    return [{ name, status: 'info', proof: 'no REDIS_URL: PostgreSQL carries the queue' }];
  try {
    const { version, maxmemoryPolicy, refusesWrites } = await probeRedis(REDIS_URL);
    if (refusesWrites !== null)
      return [
        {
          name,
          status: 'fail',
          proof: `version ${version} answers, but takes no writes: ${refusesWrites}`,
          fix: 'give it more memory or disk; if it is a replica, set REDIS_URL to its primary',
        },
      ];
    const proof = `version ${version}, maxmemory-policy ${maxmemoryPolicy ?? 'unknown'}`;
    if (maxmemoryPolicy !== null && maxmemoryPolicy !== 'noeviction')
      return [
        {
          name,
          status: 'fail',
          proof,
          fix: 'CONFIG SET maxmemory-policy noeviction: a queue must not lose keys',
        },
      ];
    return [
      {
        name,
        status: Number.parseFloat(version) < 6.2 ? 'fail' : 'ok',
        proof,
        ...(Number.parseFloat(version) < 6.2 ? { fix: 'use Redis 6.2 or newer' } : {}),
      },
    ];
  } catch (error) {
    return [{ name, status: 'fail', proof: reasonOf(error), fix: 'start that server, or correct REDIS_URL' }];
  }
}

/** Connections for the hot path: plain `pg`, prepared statements, values parsed as the domain holds them. */
import { AppError } from '@bullpen/contracts/errors';
import pg from 'pg';

export interface PoolOptions {
  readonly databaseUrl: string;
  /** Most connections that are open at once. @defaultValue 10 */
  readonly max?: number;
  /** What `pg_stat_activity` shows. @defaultValue `bullpen` */
  readonly applicationName?: string;
  /** Called for idle connections that broke; the pool replaces them itself. */
  readonly onError?: (error: Error) => void;
}

/** A step takes milliseconds; anything that takes this long hangs, and its lease is lost anyway. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** A worker that froze inside a transaction must not hold its row locks against the one that takes over. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000;

/**
 * Plans our statements once per connection. By default, Postgres plans each one again for its first five runs on every connection,
 * and planning a step takes twice as long as running it; the best plan does not depend on the values: all of them go by a key.
 */
const GENERIC_PLANS = `SET plan_cache_mode = 'force_generic_plan'`;

/** Prisma writes times without their offset and passes over it where it reads them: both are right in one zone only, and a database may have another. */
const UTC = `SET TIME ZONE 'UTC'`;

/** Set when connected, not as parameters of the start: a pooler in between (PgBouncer) refuses those that it does not know. */
const SESSION_SETTINGS = [
  `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  `SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_TIMEOUT_MS}`,
  GENERIC_PLANS,
].join('; ');

/**
 * Connections that stay when nothing happens: otherwise, after half a minute of silence, the next task would pay for connecting and
 * for planning each of its statements again.
 */
const KEPT = 2;

/**
 * A pool on the database; connects when first used. `bigint` columns arrive as `bigint`, `json` and `jsonb` parsed,
 * `timestamptz` as `Date`. The caller ends it.
 */
export function createPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.databaseUrl,
    max: options.max ?? 10,
    min: Math.min(KEPT, options.max ?? 10),
    application_name: options.applicationName ?? 'bullpen',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    // What is asked for without waiting for the answer before it goes out at once.
    pipeline: true,
    // The server's timeout needs a server that answers; this one ends a wait for a dead network.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    types: { getTypeParser },
    onConnect: (client) => beginSession(client, SESSION_SETTINGS),
  });
  // Without a listener a connection that breaks while idle would end the process.
  pool.on('error', options.onError ?? (() => undefined));
  return pool;
}

/**
 * What is done first with a connection: its settings go out before any other statement. A pool listens to a connection only while
 * nobody has it; one that breaks just as it is handed over would end the process. The code that has it learns of that, and of
 * settings that could not be made because of it, from the next statement.
 */
export function beginSession(client: pg.ClientBase, settings: string): void {
  client.on('error', () => undefined);
  client.query(`${UTC}; ${settings}`).catch(() => undefined);
}

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 && format !== 'binary'
    ? BigInt
    : pg.types.getTypeParser(oid, format as 'text');

const UNREACHABLE_CODES = new Set([
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '53300', // too_many_connections
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Prisma's own: no answer (two kinds), timeout, connection closed.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
]);

/** SQLSTATE classes of errors caused by the values: they do not fit their type, break a rule of the table, or are too large. */
const REFUSED = /^(?:22|23|54)\w{3}$/;

/** What `pg` says without a code when a connection is lost or cannot be had. */
const UNREACHABLE_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

/**
 * True when an error means that the database could not be reached or went away, so that the same call may succeed later and
 * whether a write was done is unknown. Looks through causes and aggregates (Prisma and Node wrap them).
 */
export function isUnreachable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof AppError) return error.code === 'database_unreachable';
  const { code, message, cause, errors, meta } = error as {
    code?: unknown;
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
    /** Prisma's: what its driver met. */
    meta?: { driverAdapterError?: unknown };
  };
  if (typeof code === 'string' && (UNREACHABLE_CODES.has(code) || /^08\w{3}$/.test(code))) return true;
  if (typeof message === 'string' && UNREACHABLE_TEXT.test(message)) return true;
  const inner: readonly unknown[] = Array.isArray(errors) ? errors : [];
  return isUnreachable(cause) || isUnreachable(meta?.driverAdapterError) || inner.some(isUnreachable);
}

/** True when the server refused a statement for its values: it is rolled back, and would be refused again. */
export function wasRefused(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && REFUSED.test(code);
}

/** True when the same statement may succeed later: the database was away or busy. False for what it refuses, and for our own bugs. */
export function mayPass(error: unknown): boolean {
  if (isUnreachable(error)) return true;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') return !wasRefused(error);
  return message === 'Cannot use a pool after calling end on the pool';
}

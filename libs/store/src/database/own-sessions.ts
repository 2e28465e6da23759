/**
 * Whether each connection has a session of its own. Named statements, advisory locks, LISTEN and session settings live in one; a
 * pooler that lends a server connection for a transaction or a statement at a time (PgBouncer with `pool_mode=transaction`) gives
 * them to somebody else. Tasks would then be accepted and never run.
 */
import { AppError } from '@bullpen/contracts/errors';
import pg from 'pg';

/** Of two connections that are open together, no two statements may come from the same backend, and those of one always must. */
const WHO = 'SELECT pg_backend_pid() AS pid, pg_postmaster_start_time()::text AS server';
/** Irregular, so that a pooler that takes its server connections in turn is noticed, too. */
const ROUNDS = [0, 0, 1, 1, 0, 1, 1, 0] as const;
/** A pooler that has no server connection left for the second one holds the first one's for good: that is a session. */
const PATIENCE_MS = 3_000;

/**
 * Throws `config_invalid` when connections of this address are shared. Does not report a database that cannot be reached or has no
 * second connection to give: the next code that connects will.
 */
export async function requireOwnSessions(databaseUrl: string): Promise<void> {
  if ((await hasOwnSessions(databaseUrl)) === false) throw new AppError('config_invalid', SHARED_SESSIONS);
}

const SHARED_SESSIONS =
  'DATABASE_URL leads to a connection pooler that may run each transaction or statement in another session (such as PgBouncer with ' +
  'pool_mode=transaction). Bullpen needs a session for each connection: set pool_mode=session for this database, or give ' +
  'DATABASE_URL the address and port of PostgreSQL itself.';

/** Null when it cannot be told. */
export async function hasOwnSessions(databaseUrl: string): Promise<boolean | null> {
  const clients = [0, 1].map(() => clientOf(databaseUrl));
  try {
    // One after the other: a pooler that is asked for both at once may open a server connection for each.
    for (const client of clients) await client.connect();
    return await areApart(clients);
  } catch {
    return null; // The next code that uses the database meets the same problem and reports it.
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()));
  }
}

async function areApart(clients: readonly pg.Client[]): Promise<boolean> {
  const seen: [Set<string>, Set<string>] = [new Set(), new Set()];
  for (const turn of ROUNDS) {
    const answer = await clients[turn]?.query<{ pid: number; server: string }>(WHO);
    const { pid, server } = answer?.rows[0] ?? {};
    seen[turn].add(`${pid} ${server}`);
  }
  const [first, second] = seen;
  return first.size === 1 && second.size === 1 && [...first].every((session) => !second.has(session));
}

function clientOf(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
    application_name: 'bullpen-sessions',
  });
  // A lost connection fails the query that runs, too; the event alone would end the process.
  client.on('error', () => undefined);
  return client;
}

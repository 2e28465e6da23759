/** Prisma on `pg`, for everything that is not the hot path. */
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../generated/client.js';
import { beginSession } from './pool.js';

export type Prisma = PrismaClient;

export interface PrismaOptions {
  readonly databaseUrl: string;
  /** Most connections that are open at once. @defaultValue 5 */
  readonly max?: number;
}

/** A client on the database; connects when first used. The caller ends it with `$disconnect()`. */
export function createPrisma({ databaseUrl, max = 5 }: PrismaOptions): Prisma {
  const adapter = new PrismaPg(
    {
      connectionString: databaseUrl,
      max,
      application_name: 'bullpen-prisma',
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // The server's own limit needs a server that answers; this one ends a wait for a dead network.
      query_timeout: 35_000,
      onConnect: (client) => beginSession(client, 'SET statement_timeout = 30000'),
    },
    // Connections that break while idle are replaced; the next query reports what it meets.
    { onPoolError: () => undefined, onConnectionError: () => undefined },
  );
  return new PrismaClient({ adapter });
}

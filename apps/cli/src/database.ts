/** A database for one command: the configured one, the embedded one that runs, or the embedded one started just for it. */
import { AppError } from '@bullpen/contracts';
import { silentLogger, takeProcessLock } from '@bullpen/platform';
import { embeddedUrlIfRunning, requireOwnSessions, startEmbeddedPostgres } from '@bullpen/store/server';
import { lockFile, prepareHome } from './stack/home.js';

export interface DatabaseUse {
  readonly url: string;
  /** How it was found: by DATABASE_URL, running already, or started for this. */
  readonly from: 'DATABASE_URL' | 'running' | 'started';
}

/**
 * Calls `work` with a database that answers, and stops it afterwards when it was started for this. Throws `already_running`
 * when a stack is just starting or stopping on this home, `config_invalid` for a DATABASE_URL whose connections share sessions, and
 * what starting the database throws.
 */
export async function withDatabase<T>(
  home: string,
  databaseUrl: string | undefined,
  work: (use: DatabaseUse) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== undefined) {
    await requireOwnSessions(databaseUrl);
    return work({ url: databaseUrl, from: 'DATABASE_URL' });
  }
  const running = await embeddedUrlIfRunning(home);
  if (running !== null) return work({ url: running, from: 'running' });
  prepareHome(home);
  // The lock keeps `bullpen up` from starting on the same folder meanwhile.
  const lock = await takeProcessLock(lockFile(home));
  if (lock.kind === 'held')
    throw new AppError(
      'already_running',
      `Bullpen is just starting or stopping (process ${lock.pid}); try again`,
      {
        retryable: true,
        details: { pid: lock.pid },
      },
    );
  try {
    const server = await startEmbeddedPostgres({ home, logger: silentLogger() });
    try {
      return await work({ url: server.url, from: 'started' });
    } finally {
      await server.stop();
    }
  } finally {
    await lock.release();
  }
}

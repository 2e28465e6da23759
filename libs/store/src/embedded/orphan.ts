/** A server whose owner was killed keeps running. We have to stop it, because nothing else will. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bullpen/contracts/errors';
import { isAlive, isRunning, readIfThere, type Logger } from '@bullpen/platform';
import { isPostgresOn, postgresProcessesOn } from './postgres-processes.js';
import type { ServerFiles } from './server-files.js';

const FAST_STOP_MS = 20_000;
const HARD_STOP_MS = 10_000;
/** Sessions of a killed server notice its end within about a second. */
const SESSIONS_END_MS = 10_000;

/** Process id of the server that runs on this data folder; null when none does. */
export async function runningPostmaster(files: ServerFiles): Promise<number | null> {
  const pid = await recordedPid(files);
  return pid !== null && (await isRunning(pid)) && (await isPostgresOn(pid, files.data)) ? pid : null;
}

/** Stops what still runs on the data folder, and clears the way for a start. Call only as the owner of the home. */
export async function stopOrphan(files: ServerFiles, logger: Logger): Promise<void> {
  const pid = await recordedPid(files);
  if (pid === null || !isAlive(pid)) return;
  if ((await isRunning(pid)) && (await isPostgresOn(pid, files.data))) {
    logger.warn({ pid }, 'a database server of an earlier run is still running: stopping it');
    await stopPostmaster(pid);
  }
  await forgetServer(files);
}

/**
 * Removes the record of a server that is gone, when its number went to another process or to one that has ended and that nobody
 * has waited for: Postgres would take either for a running server and refuse to start. The record also tells the next server of
 * sessions that still use the old one's memory, so it stays until the last of them has ended.
 */
async function forgetServer(files: ServerFiles): Promise<void> {
  const deadline = performance.now() + SESSIONS_END_MS;
  while (performance.now() < deadline) {
    const pid = await recordedPid(files);
    if (pid === null || !isAlive(pid)) return;
    if ((await postgresProcessesOn(files.data)).length === 0) {
      await rm(join(files.data, 'postmaster.pid'), { force: true });
      return;
    }
    await sleep(50);
  }
}

/** Stops a server cleanly (open transactions are rolled back); after a while by force, from which the next start has to recover. */
export async function stopPostmaster(pid: number): Promise<void> {
  for (const { signal, timeoutMs } of [
    { signal: 'SIGINT', timeoutMs: FAST_STOP_MS },
    { signal: 'SIGQUIT', timeoutMs: HARD_STOP_MS },
  ] as const) {
    if (!(await isRunning(pid))) return;
    process.kill(pid, signal);
    if (await isGoneWithin(pid, timeoutMs)) return;
  }
  throw new AppError('database_unreachable', `The database server (process ${pid}) does not stop`, {
    details: { pid },
  });
}

async function recordedPid(files: ServerFiles): Promise<number | null> {
  const content = await readIfThere(join(files.data, 'postmaster.pid'));
  const pid = Number(content?.split('\n')[0]);
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

async function isGoneWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (!(await isRunning(pid))) return true;
    await sleep(20);
  }
  return false;
}

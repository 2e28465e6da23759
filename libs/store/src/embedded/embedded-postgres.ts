/** A real PostgreSQL from npm, for installations that have no other database. */
import { type ChildProcess, fork } from 'node:child_process';
import { open, realpath, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AppError } from '@bullpen/contracts/errors';
import { OURS, ownFolder, processLockHolder, readIfThere, type Logger } from '@bullpen/platform';
import { runningPostmaster } from './orphan.js';
import type { OwnerMessage, OwnerSettings } from './owner-protocol.js';
import { answers } from './postmaster.js';
import { logTail, readPort, serverFiles, serverUrl } from './server-files.js';

const LOG_LIMIT_BYTES = 10_000_000;
/** Longer than the owner gives the server, so that the owner's own report of a failure arrives. */
const STOP_TIMEOUT_MS = 40_000;

export interface EmbeddedPostgresOptions {
  /** Folder for data, log, password and port; made when it is not there. */
  readonly home: string;
  /** Wished port; when it is taken or 0, the one of the last run, else any free one. @defaultValue 0 */
  readonly port?: number;
  readonly logger: Logger;
  /** Server settings that win over the built-in ones, as `postgresql.conf` names them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Process id: the server stops when that process is gone, and not when the caller is. */
  readonly untilProcessEnds?: number;
}

export interface EmbeddedPostgres {
  readonly url: string;
  readonly port: number;
  /** Process that owns the server. */
  readonly ownerPid: number;
  /** Resolves when the owner is gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Stops the server in order: open transactions are rolled back. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts the server of `home` in a process of its own and resolves when it takes connections. It lives until `stop`, or until
 * the calling process is gone; after a crash of everything the next start recovers.
 * Throws `already_running` (details: pid) when a live process owns the home, `config_invalid` for a folder that cannot be
 * used, `database_unreachable` with the end of the log when the server does not start.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const home = resolve(options.home);
  const owner = await forkOwner({
    home,
    port: options.port ?? 0,
    settings: options.settings ?? {},
    untilProcessEnds: options.untilProcessEnds ?? null,
  });
  const exited = new Promise<void>((done) => owner.once('exit', () => done()));
  const { url, port } = await firstMessage(owner, home);
  options.logger.info({ port, ownerPid: owner.pid, home }, 'embedded database started');
  if (options.untilProcessEnds !== undefined) detach(owner);
  return { url, port, ownerPid: owner.pid ?? 0, exited, stop: () => stopOwner(owner, exited) };
}

/** URL of the embedded server of `home` when it runs and answers; else null. Starts nothing. */
export async function embeddedUrlIfRunning(home: string): Promise<string | null> {
  const place = await realpath(home).catch(() => null);
  if (place === null) return null;
  const files = serverFiles(place);
  if ((await processLockHolder(files.ownerLock)) === null) return null;
  if ((await runningPostmaster(files)) === null) return null;
  const [password, port] = await Promise.all([readIfThere(files.password), readPort(files)]);
  if (password === null || port === null) return null;
  const url = serverUrl(password, port);
  return (await answers(url)) ? url : null;
}

async function forkOwner(settings: OwnerSettings): Promise<ChildProcess> {
  const log = await openLog(settings.home);
  try {
    return fork(ownerEntry(), [JSON.stringify(settings)], {
      detached: true,
      execArgv: [],
      // eslint-disable-next-line no-restricted-properties -- handed on, but for options meant for the caller's Node, such as a debugger's port
      env: { ...process.env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', log.fd, 'ipc'],
    });
  } finally {
    await log.close();
  }
}

/** The compiled entry, also when this file runs from source: Node cannot start TypeScript. */
function ownerEntry(): string {
  const entry = new URL('./embedded-postgres-process.js', import.meta.url);
  return fileURLToPath(entry).replace(/([\\/])src([\\/])embedded([\\/])/, '$1dist$2embedded$3');
}

async function openLog(home: string) {
  const { log } = serverFiles(home);
  ownFolder(dirname(log), OURS);
  const size = await stat(log).then(
    (file) => file.size,
    () => 0,
  );
  if (size > LOG_LIMIT_BYTES) await rename(log, `${log}.1`);
  return open(log, 'a', 0o600);
}

function firstMessage(owner: ChildProcess, home: string): Promise<{ url: string; port: number }> {
  return new Promise((succeed, fail) => {
    owner.once('message', (message: OwnerMessage) => {
      if (message.type === 'ready') return succeed(message);
      const { code, retryable, details } = message;
      return fail(new AppError(code, message.message, { retryable, details }));
    });
    owner.once('error', (error) => fail(failedOwner(String(error), error)));
    owner.once('exit', (code, signal) => {
      // What it said last may still be on its way through the channel, and counts first.
      void sleep(100)
        .then(() => logTail(serverFiles(home)))
        .then(
          (tail) => fail(failedOwner(`it ended with ${code ?? signal}; its log ends with:\n${tail}`)),
          fail,
        );
    });
  });
}

function failedOwner(why: string, cause?: unknown): AppError {
  return new AppError('database_unreachable', `The process of the embedded database failed: ${why}`, {
    cause,
  });
}

/** Lets the calling process end while the server goes on. */
function detach(owner: ChildProcess): void {
  owner.disconnect();
  owner.unref();
}

async function stopOwner(owner: ChildProcess, exited: Promise<void>): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  owner.kill('SIGTERM');
  const timeout = new AbortController();
  const outcome = await Promise.race([
    exited.then(() => 'exited' as const),
    sleep(STOP_TIMEOUT_MS, 'late' as const, { signal: timeout.signal }).catch(() => 'exited' as const),
  ]);
  timeout.abort();
  if (outcome === 'late')
    throw new AppError('database_unreachable', `The embedded database (process ${owner.pid}) does not stop`);
}

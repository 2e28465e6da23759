/**
 * Entry of the process that owns an embedded server: starts it, starts it again when it crashes, and stops it in order when asked
 * to or when the starter is gone. It has its own process group, so that Ctrl-C in a terminal ends the product first and the
 * database last. Its standard error is the server's log file.
 */
import { chmod, chown, mkdir, realpath, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bullpen/contracts/errors';
import {
  collectStart,
  createLogger,
  isAlive,
  isPortFree,
  logDestination,
  OURS,
  ownFolder,
  ownHome,
  takeProcessLock,
} from '@bullpen/platform';
import { prepareDataFolder } from './data-folder.js';
import { stopOrphan, stopPostmaster } from './orphan.js';
import type { OwnerMessage, OwnerSettings } from './owner-protocol.js';
import { type Postmaster, type PostmasterOptions, startPostmaster } from './postmaster.js';
import { findPrograms } from './programs.js';
import { readPort, type ServerFiles, serverFiles } from './server-files.js';
import { openHomeFor, serverUser } from './server-user.js';

const STDERR = 2;
const LOOPBACK = '127.0.0.1';
const WATCH_MS = 500;
/** Ports of outgoing connections come from the same range, and most of these are short. */
const PORT_WAIT_MS = 60_000;
/** If a server crashes more often than this, on average, another start will not help. */
const MAX_CRASHES = 5;
const CRASH_WINDOW_MS = 60_000;
/**
 * A connection that has sorted or grouped something goes on to the next statement with that memory. By default glibc gives all but
 * 128 kB of it back to the system after each statement, and has every page of it cleared again.
 */
const KEPT_MEMORY = String(16 * 1024 * 1024);

const settings = JSON.parse(process.argv[2] ?? '{}') as OwnerSettings;
const logger = createLogger({
  name: 'embedded-postgres',
  level: 'info',
  destination: logDestination(STDERR),
});

process.exitCode = await main();
// The channel to the starter would keep the process alive.
if (process.connected) process.disconnect();

async function main(): Promise<number> {
  const stop = stopRequest();
  try {
    await own(settings, stop);
    return 0;
  } catch (error) {
    logger.error({ err: error }, 'the embedded database failed');
    await tell(failure(error));
    return 1;
  }
}

async function own(wanted: OwnerSettings, stop: Promise<void>): Promise<void> {
  const user = await serverUser();
  ownHome(wanted.home);
  await openHomeFor(user, wanted.home);
  const files = serverFiles(await realpath(wanted.home));
  if (user === null) ownFolder(files.root, OURS);
  else await openRoot(files, user.gid);
  const lock = await takeProcessLock(files.ownerLock);
  if (lock.kind === 'held') {
    const { pid } = lock;
    throw new AppError(
      'already_running',
      `The embedded database is already running: process ${pid} owns it`,
      {
        details: { pid },
      },
    );
  }
  try {
    await stopOrphan(files, logger);
    const env = serverEnvironment();
    const programs = await findPrograms(files, user);
    const durable = wanted.settings['fsync'] !== 'off';
    const password = await prepareDataFolder({ files, programs, user, env, durable });
    const preferredPorts = [wanted.port, (await readPort(files)) ?? 0].filter((port) => port !== 0);
    const options = { files, programs, user, env, password, settings: wanted.settings, logFd: STDERR };
    await keepRunning({ ...options, preferredPorts }, stop);
  } finally {
    await lock.release();
  }
}

/** The server's folder is ours and holds secrets; the server's user only has to pass through it. */
async function openRoot(files: ServerFiles, gid: number): Promise<void> {
  await mkdir(files.root, { recursive: true, mode: OURS });
  await chown(files.root, process.getuid?.() ?? 0, gid);
  await chmod(files.root, 0o710);
}

async function keepRunning(options: PostmasterOptions, stop: Promise<void>): Promise<void> {
  const crashes: number[] = [];
  let server = await startPostmaster(options);
  await writeFile(options.files.port, `${server.port}\n`, { mode: 0o600 });
  await tell({ type: 'ready', url: server.url, port: server.port });
  logger.info({ pid: server.pid, port: server.port }, 'the embedded database is ready');
  collectStart();
  while ((await Promise.race([stop.then(() => 'stop' as const), ended(server)])) !== 'stop') {
    crashes.push(performance.now());
    logger.error(
      { pid: server.pid, exitCode: server.process.exitCode },
      'the database server stopped unexpectedly: starting it again',
    );
    if (crashes.filter((at) => performance.now() - at < CRASH_WINDOW_MS).length > MAX_CRASHES)
      throw new AppError('database_unreachable', 'The database server keeps crashing');
    server = await restart(options, server.port);
  }
  await stopServer(server);
}

/** On the same port, because everybody who uses the database knows this one. Another program may have it for a moment. */
async function restart(options: PostmasterOptions, port: number): Promise<Postmaster> {
  const deadline = performance.now() + PORT_WAIT_MS;
  while (performance.now() < deadline) {
    if (await isPortFree(LOOPBACK, port)) {
      const server = await startPostmaster({ ...options, preferredPorts: [port] });
      if (server.port === port) return server;
      await stopServer(server);
    }
    logger.warn({ port }, 'another program has the port of the database: waiting for it');
    await sleep(500);
  }
  throw new AppError(
    'port_in_use',
    `The port ${port} of the database was taken by another program while it was down`,
  );
}

async function stopServer(server: Postmaster): Promise<void> {
  const startedAt = performance.now();
  await stopPostmaster(server.pid);
  logger.info({ durationMs: Math.round(performance.now() - startedAt) }, 'the embedded database is stopped');
}

function ended(server: Postmaster): Promise<'ended'> {
  const { exitCode, signalCode } = server.process;
  if (exitCode !== null || signalCode !== null) return Promise.resolve('ended');
  return new Promise((resolve) => server.process.once('exit', () => resolve('ended')));
}

/** Resolves once the server should stop. */
function stopRequest(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve());
    process.on('SIGINT', () => resolve());
    const { untilProcessEnds: pid } = settings;
    if (pid !== null) setInterval(() => isAlive(pid) || resolve(), WATCH_MS).unref();
    else if (process.connected) process.on('disconnect', () => resolve());
    else resolve();
  });
}

/** Without our own variables: the server has no use for API keys. `C` keeps its messages in English and its files portable. */
function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LD_LIBRARY_PATH', 'TMPDIR', 'TEMP', 'SystemRoot'];
  // eslint-disable-next-line no-restricted-properties -- these are the system's, not settings of ours
  const entries = Object.entries(process.env).filter(([name]) => kept.includes(name));
  const memory = { MALLOC_TRIM_THRESHOLD_: KEPT_MEMORY, MALLOC_MMAP_THRESHOLD_: KEPT_MEMORY };
  return { ...Object.fromEntries(entries), ...memory, LC_ALL: 'C', LANG: 'C' };
}

/** Best effort: the starter may be gone, and then there is nobody to tell. */
function tell(message: OwnerMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) resolve();
    else process.send(message, () => resolve());
  });
}

function failure(error: unknown): OwnerMessage {
  const { code, message, retryable, details } =
    error instanceof AppError
      ? error
      : new AppError('database_unreachable', `The embedded database failed: ${String(error)}`);
  return { type: 'failed', code, message, retryable, details };
}

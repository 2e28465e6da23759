/** Runs the server process itself: its settings, how it is started, and when it is ready. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@bullpen/contracts/errors';
import { freePort, readIfThere } from '@bullpen/platform';
import pg from 'pg';
import type { Programs } from './programs.js';
import { DATABASE, logTail, type ServerFiles, serverUrl } from './server-files.js';
import type { ServerUser } from './server-user.js';

/** Crash recovery after a long run replays up to a gigabyte of log. */
const READY_TIMEOUT_MS = 120_000;
/** Sessions of a killed server end within a second or so, but one that waits for a busy disk can take far longer. */
const PASSING_MS = 60_000;
const DUPLICATE_DATABASE = '42P04';
const INVALID_PASSWORD = '28P01';

/** For a small machine, and durable. `-c` settings win over the file, so that an old data folder gets the new ones, too. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  // Our queries are short: compiling one costs more than it can save.
  jit: 'off',
  // Processes that would only wait: what is read fits into the system's memory, and nothing is replicated.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %a ',
  cluster_name: 'bullpen',
};

export interface PostmasterOptions {
  readonly files: ServerFiles;
  readonly programs: Programs;
  readonly user: ServerUser;
  readonly env: NodeJS.ProcessEnv;
  readonly password: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Ports to try in order; after them any free one. */
  readonly preferredPorts: readonly number[];
  /** Open file that the server writes its log to. */
  readonly logFd: number;
}

export interface Postmaster {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly port: number;
  readonly url: string;
}

/** Starts the server and resolves when it takes connections and has our database. Throws `database_unreachable`. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const ports = [...options.preferredPorts];
  const deadline = performance.now() + PASSING_MS;
  for (;;) {
    const port = await freePort(ports.shift() ?? 0);
    const server = launch(options, port);
    if (await isReady(server, serverUrl(options.password, port, 'postgres'), options.files)) {
      await createDatabase(serverUrl(options.password, port, 'postgres'));
      return { process: server, pid: server.pid ?? 0, port, url: serverUrl(options.password, port) };
    }
    const log = await logTail(options.files);
    // A port may be taken between the look and the start, and sessions of a killed server need a moment to notice and end.
    const passing =
      /Address already in use|could not create any TCP\/IP sockets|shared memory block .* is still in use/.test(
        log,
      );
    if (!passing || performance.now() > deadline) throw failedStart(options.files, log);
    await sleep(250);
  }
}

function launch(
  { files, programs, user, env, settings, logFd }: PostmasterOptions,
  port: number,
): ChildProcess {
  const all = { ...SETTINGS, ...settings, port: String(port) };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(programs.postgres, ['-D', files.data, ...flags], {
    ...user,
    env,
    cwd: files.data,
    stdio: ['ignore', logFd, logFd],
  });
}

/** The server writes into its pid file how far it is; asking by connecting would fill its log with refusals. */
async function isReady(server: ChildProcess, url: string, files: ServerFiles): Promise<boolean> {
  let ended = false;
  server.once('exit', () => (ended = true));
  server.once('error', () => (ended = true));
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (!ended && performance.now() < deadline) {
    if ((await saysReady(server, files)) && (await acceptsPassword(server, url, files))) return true;
    await sleep(20);
  }
  server.kill('SIGQUIT');
  return false;
}

async function saysReady(server: ChildProcess, files: ServerFiles): Promise<boolean> {
  const lines = (await readIfThere(join(files.data, 'postmaster.pid')))?.split('\n') ?? [];
  return Number(lines[0]) === server.pid && lines[7]?.trim() === 'ready';
}

/** False when it did not answer, as on a machine that is too busy: it may the next time. */
async function acceptsPassword(server: ChildProcess, url: string, files: ServerFiles): Promise<boolean> {
  const answer = await tryConnect(url);
  if (answer !== INVALID_PASSWORD) return answer === 'ok';
  server.kill('SIGINT');
  throw new AppError(
    'config_invalid',
    `The password in ${files.password} does not fit the database in ${files.data}`,
  );
}

/** `ok`, or the error's code. */
async function tryConnect(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return 'ok';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** True when the URL's server answers to its password. */
export async function answers(url: string): Promise<boolean> {
  return (await tryConnect(url)) === 'ok';
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${DATABASE}`);
  } catch (error) {
    if ((error as { code?: string }).code !== DUPLICATE_DATABASE) throw error;
  } finally {
    await client.end();
  }
}

function failedStart(files: ServerFiles, log: string): AppError {
  return new AppError(
    'database_unreachable',
    `The embedded database did not start; ${files.log} ends with:\n${log}`,
    {
      details: { log: files.log },
    },
  );
}

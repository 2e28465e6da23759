/** A real PgBouncer in front of a database, for specs about connections that lead through a pooler. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@bullpen/platform';
import { trackPid, untrackPid } from './tracked-pids.js';
import { waitFor } from './wait-for.js';

/** Debian keeps it where only root looks for programs. */
const PROGRAM = '/usr/sbin/pgbouncer';

export interface TestPgBouncer {
  /** The same database, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface PgBouncerOptions {
  readonly poolMode: 'session' | 'transaction' | 'statement';
  /** Further lines of its settings. */
  readonly settings?: readonly string[];
}

let available: boolean | undefined;

/** True when there is a PgBouncer. Throws when there is none and REQUIRE_PGBOUNCER=1 says that there must be. */
export function pgBouncerAvailable(): boolean {
  available ??= spawnSync(PROGRAM, ['--version']).status === 0;
  if (!available && process.env['REQUIRE_PGBOUNCER'] === '1')
    throw new Error(`REQUIRE_PGBOUNCER=1, and there is no ${PROGRAM}`);
  return available;
}

/** Starts one of its own on a free port. */
export async function testPgBouncer(
  databaseUrl: string,
  { poolMode, settings = [] }: PgBouncerOptions,
): Promise<TestPgBouncer> {
  const folder = await mkdtemp(join(tmpdir(), 'bullpen-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const { hostname, port: serverPort, username, password, pathname } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `${name} = host=${hostname} port=${serverPort} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${poolMode}`,
    ...settings,
  ];
  await writeFile(file, lines.join('\n'));
  const server = start(file);
  await waitFor(() => answers(port), { what: 'PgBouncer to answer' });
  return {
    url: `postgresql://${username}@127.0.0.1:${port}/${name}`,
    stop: async () => {
      await end(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** It refuses to be root, and then becomes the user that it is told. */
function start(file: string): ChildProcess {
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const server = spawn(PROGRAM, ['-q', ...user, file], { stdio: 'ignore' });
  if (server.pid !== undefined) trackPid(server.pid, 'pgbouncer');
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => server.once('exit', resolve));
  if (server.exitCode === null && server.kill('SIGKILL')) await ended;
  if (server.pid !== undefined) untrackPid(server.pid);
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}

/** A real Redis for a spec file or a drill, from the `redis-server` on the PATH. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@bullpen/platform';
import { trackPid, untrackPid } from './tracked-pids.js';
import { waitFor } from './wait-for.js';

export interface TestRedis {
  readonly url: string;
  /** kill -9 and a fresh start on the same port; without persistence everything is gone. */
  restart(): Promise<void>;
  /** kill -9; `restart` brings it back. */
  kill(): Promise<void>;
  /** FLUSHALL. */
  flush(): Promise<void>;
  /** Any command in one line; gives the first piece of the answer as it came. */
  command(line: string): Promise<string>;
  /** Stops it for good and removes its files. */
  stop(): Promise<void>;
}

export interface TestRedisOptions {
  /** Keeps data over a restart, each write on disk before its answer. @defaultValue false */
  readonly persistent?: boolean;
}

let available: boolean | undefined;

/** True when there is a `redis-server`. Throws when there is none and REQUIRE_REDIS=1 says that there must be. */
export function redisAvailable(): boolean {
  available ??= spawnSync('redis-server', ['--version']).status === 0;
  if (!available && process.env['REQUIRE_REDIS'] === '1')
    throw new Error('REQUIRE_REDIS=1, and there is no redis-server on the PATH');
  return available;
}

/** Starts a server of its own on a free port, in well under 0.1 s. */
export async function testRedis(options: TestRedisOptions = {}): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'bullpen-redis-'));
  const port = await freePort();
  let server = await start(port, folder, options);
  const kill = async (): Promise<void> => end(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    restart: async () => {
      await kill();
      server = await start(port, folder, options);
    },
    flush: async () => {
      const answer = await command(port, 'FLUSHALL');
      if (!answer.startsWith('+OK')) throw new Error(`FLUSHALL: ${answer}`);
    },
    command: (line) => command(port, line),
    stop: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start(
  port: number,
  folder: string,
  { persistent = false }: TestRedisOptions,
): Promise<ChildProcess> {
  const durability = persistent ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no'];
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...durability],
    { stdio: 'ignore' },
  );
  if (server.pid !== undefined) trackPid(server.pid, 'redis-server');
  const isUp = async (): Promise<boolean> => {
    if (server.exitCode !== null) throw new Error(`redis-server ended with code ${server.exitCode}`);
    return (await command(port, 'PING').catch(() => '')).startsWith('+PONG');
  };
  await waitFor(isUp, { what: 'redis-server to answer', everyMs: 5 });
  return server;
}

async function end(server: ChildProcess): Promise<void> {
  const gone = (): boolean => server.exitCode !== null || server.signalCode !== null;
  if (!gone()) {
    const exited = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await exited;
  }
  if (server.pid !== undefined) untrackPid(server.pid);
}

/** One inline command and the first piece of its answer; a client library would be a dependency for two words. */
function command(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${line}\r\n`));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
    socket.setTimeout(5_000, () => socket.destroy(new Error('redis-server does not answer')));
  });
}

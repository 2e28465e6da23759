/** A Redis of the bench's own, from the `redis-server` on the PATH, that keeps its data as an ordinary installation does. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@bullpen/platform';
import { Redis } from 'ioredis';

export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Version of the program; null when there is none. */
export function redisVersion(): string | null {
  const { status, stdout } = spawnSync('redis-server', ['--version'], { encoding: 'utf8' });
  return status === 0 ? (/v=(\S+)/.exec(stdout)?.[1] ?? 'unknown') : null;
}

/** Starts it with an append-only file that is synced every second, the usual setting for a queue. */
export async function startRedis(folder: string): Promise<RedisServer> {
  const home = join(folder, 'redis');
  await mkdir(home, { recursive: true });
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', home, '--save', ''];
  const server = spawn('redis-server', [...args, '--appendonly', 'yes', '--appendfsync', 'everysec'], {
    stdio: 'ignore',
  });
  await answers(port, server);
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid ?? 0, stop: () => end(server) };
}

async function answers(port: number, server: ChildProcess): Promise<void> {
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: () => 20 });
  redis.on('error', () => undefined); // Refused connections are expected until it listens.
  try {
    for (let tries = 0; tries < 250; tries += 1) {
      if (server.exitCode !== null) throw new Error(`redis-server ended with code ${server.exitCode}`);
      if (redis.status === 'ready') return;
      if (redis.status === 'wait') void redis.connect().catch(() => undefined);
      await sleep(20);
    }
    throw new Error('redis-server does not answer');
  } finally {
    redis.disconnect();
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await exited;
}

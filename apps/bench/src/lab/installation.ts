/** An installation as `bullpen up` starts it, in a folder of its own: supervisor, embedded Postgres, simulator, gateway and workers. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Backend } from '../report/measure.js';
import type { Lab } from './lab.js';

const BULLPEN = fileURLToPath(new URL('../../../cli/bin/bullpen.js', import.meta.url));

export interface Installation {
  /** Of the supervisor; all others descend from it. */
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts it and waits until it is ready. Throws when it ends before. */
export async function startInstallation(lab: Lab, backend: Backend): Promise<Installation> {
  const home = join(lab.folder, `installation-${backend}`);
  await mkdir(home, { recursive: true });
  const child = spawn(process.execPath, [BULLPEN, 'up', '--port', '0', '--json'], {
    env: {
      ...{ PATH: '/usr/local/bin:/usr/bin:/bin', BULLPEN_HOME: home },
      ...(backend === 'redis' && lab.redis !== null && { REDIS_URL: lab.redis.url, QUEUE_PREFIX: 'idle' }),
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  for await (const line of createInterface({ input: child.stdout }))
    if (line.startsWith('{"ready":true')) return { pid: child.pid ?? 0, stop };
  throw new Error(`bullpen up ended before it was ready; the logs are in ${home}`);
}

/** The gateway that is fuzzed: a process of its own on a real Postgres, with nobody who works on its tasks. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient, type BullpenClient } from '@bullpen/client';
import { App } from '../stack/app.js';
import { DrillDatabase } from '../stack/database.js';
import { Ground } from './ground.js';

const ENTRY = fileURLToPath(new URL('../../../../apps/gateway/dist/main.js', import.meta.url));

export class FuzzStack {
  private constructor(
    private readonly folder: string,
    readonly database: DrillDatabase,
    readonly gateway: App,
    /** What ended without being asked to. */
    readonly crashes: readonly string[],
    readonly client: BullpenClient,
    readonly ground: Ground,
  ) {}

  static async start(signal: AbortSignal): Promise<FuzzStack> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-fuzz-'));
    await chmod(folder, 0o755); // Postgres runs as another user when we are root.
    const home = join(folder, 'home');
    const database = await DrillDatabase.start(join(folder, 'database'), false);
    const crashes: string[] = [];
    const gateway: App = new App({
      name: 'gateway',
      entry: ENTRY,
      env: (): Record<string, string> => ({
        DATABASE_URL: database.url,
        REDIS_URL: '',
        BULLPEN_HOME: home,
        PORT: String(gateway.port),
        WEBHOOK_ALLOW_PRIVATE: '127.0.0.1/32',
        LOG_LEVEL: 'error',
      }),
      signal,
      onStart: () => undefined,
      onKill: () => undefined,
      onCrash: (what) => crashes.push(what),
    });
    await gateway.start();
    const { port } = gateway;
    const apiKey = (await readFile(join(home, 'key'), 'utf8')).trim();
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey, retries: 0 });
    const ground = new Ground({ client, pool: database.pool, port, apiKey });
    return new FuzzStack(folder, database, gateway, crashes, client, ground);
  }

  /** Memory of the gateway in MB: now, and the most that it ever had. */
  async memory(): Promise<{ now: number; peak: number }> {
    const status = await readFile(`/proc/${this.gateway.pid}/status`, 'utf8').catch(() => '');
    const megabytes = (name: string) =>
      Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024);
    return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
  }

  async stop(): Promise<void> {
    await this.gateway.close();
    await this.database.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

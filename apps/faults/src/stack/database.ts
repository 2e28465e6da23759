/** A Postgres of a drill's own, that can be crashed, frozen out and brought back. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '@bullpen/platform';
import { createPool, migrate, startEmbeddedPostgres, type EmbeddedPostgres } from '@bullpen/store';
import { waitFor } from '@bullpen/testing/harness';

/** For drills that leave Postgres alone: nobody needs the data after a crash of the machine. */
const FAST: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
};
const BACK_MS = 60_000;

let template: Promise<string> | null = null;

export class DrillDatabase {
  /** The harness's own connections: the judge's. */
  readonly pool: ReturnType<typeof createPool>;

  private constructor(
    private readonly server: EmbeddedPostgres,
    private readonly home: string,
  ) {
    this.pool = createPool({ databaseUrl: server.url, max: 4, applicationName: 'drill' });
  }

  get url(): string {
    return this.server.url;
  }

  /** A migrated server in `home`. `durable`: with fsync and all that the product's own has. */
  static async start(home: string, durable: boolean): Promise<DrillDatabase> {
    template ??= makeTemplate();
    await mkdir(home, { recursive: true });
    // The owners of the files matter, and Node's own copy does not keep them.
    execFileSync('cp', ['-a', join(await template, 'postgres'), home]);
    await rm(join(home, 'postgres', 'port'), { force: true });
    const settings = durable ? {} : FAST;
    return new DrillDatabase(await startEmbeddedPostgres({ home, logger: silentLogger(), settings }), home);
  }

  /** An immediate stop, as by a crash: nothing is written out. Its owner starts it again; resolves when it answers. */
  async crash(): Promise<void> {
    await this.#hit();
    await this.#back();
  }

  /** A crash after which nothing answers for `ms`. */
  async down(ms: number, signal: AbortSignal): Promise<void> {
    process.kill(this.server.ownerPid, 'SIGSTOP');
    try {
      await this.#hit();
      await sleep(ms, undefined, { signal });
    } finally {
      process.kill(this.server.ownerPid, 'SIGCONT');
    }
    await this.#back();
  }

  /** Ends connections of the product by chance, each with this probability. Gives how many. */
  async terminateBackends(probability: number): Promise<number> {
    const { rows } = await this.pool.query<{ done: number }>(
      `SELECT count(pg_terminate_backend(pid))::int AS done FROM pg_stat_activity
       WHERE datname = current_database() AND application_name <> 'drill' AND random() < $1`,
      [probability],
    );
    return rows[0]?.done ?? 0;
  }

  async stop(): Promise<void> {
    await this.pool.end();
    await this.server.stop();
  }

  async #hit(): Promise<void> {
    const file = await readFile(join(this.home, 'postgres/data/postmaster.pid'), 'utf8');
    process.kill(Number(file.split('\n')[0]), 'SIGQUIT');
    const isDown = () =>
      this.pool.query('SELECT 1').then(
        () => false,
        () => true,
      );
    await waitFor(isDown, { what: 'Postgres to be down', everyMs: 5 });
  }

  async #back(): Promise<void> {
    const answers = () =>
      this.pool.query('SELECT 1').then(
        () => true,
        () => false,
      );
    await waitFor(answers, { what: 'Postgres to be back', timeoutMs: BACK_MS, everyMs: 50 });
  }
}

/** For those whose process does not end with them, as in a spec: takes the template away now. */
export async function removeTemplate(): Promise<void> {
  const made = template;
  template = null;
  if (made !== null) await rm(await made, { recursive: true, force: true });
}

/** initdb takes seconds: it is done once, and each drill starts from a copy. Removed when this process ends. */
async function makeTemplate(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'bullpen-drill-template-'));
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  await chmod(home, 0o755); // Postgres runs as another user when we are root.
  const server = await startEmbeddedPostgres({ home, logger: silentLogger(), settings: FAST });
  try {
    await migrate({ databaseUrl: server.url });
  } finally {
    await server.stop();
  }
  return home;
}

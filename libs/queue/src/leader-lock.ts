/**
 * Leadership by a Postgres advisory lock: of all processes that ask, one holds it, for as long as its connection lives. If the
 * connection is lost, so is the leadership, and the first process that asks gets it next.
 */
import type { Logger } from '@bullpen/platform';
import type { Client } from 'pg';
import { PgConnection } from './postgres-client.js';
import { quietLog, type QuietLog } from './quiet-log.js';

/** The role that one worker of a deployment has at a time. */
export interface LeaderLock {
  /**
   * Takes the lock when it is free, and proves that it is still ours when we have it. False when another process has it or nothing
   * can be proved now. Never throws; concurrent calls share one question. True is no guarantee for the next moment: what a leader
   * does must tolerate a second leader. The holder asks every second or so: one that falls silent loses the role.
   */
  hold(): Promise<boolean>;
  /** Lets go at once, so that another process need not wait. Never throws; safe to call twice. */
  release(): Promise<void>;
}

interface PgLeaderLockOptions {
  readonly databaseUrl: string;
  /** The advisory lock: one number per role, the same in all processes. 64 bits. */
  readonly key: bigint;
  readonly logger: Logger;
  /**
   * How long the server keeps the lock of a silent holder, in ms. Without a limit a machine that was cut off keeps the lock until TCP
   * gives up, which takes hours by default.
   *
   * @defaultValue 15 s
   */
  readonly silenceMs?: number;
}

export class PgLeaderLock implements LeaderLock {
  readonly #key: string;
  readonly #warn: QuietLog;
  readonly #connection: PgConnection;
  readonly #silenceMs: number;
  #held = false;
  #asking: Promise<boolean> | null = null;
  #released = false;

  constructor(options: PgLeaderLockOptions) {
    this.#key = options.key.toString();
    this.#silenceMs = options.silenceMs ?? 15_000;
    this.#warn = quietLog(options.logger);
    this.#connection = new PgConnection({
      databaseUrl: options.databaseUrl,
      applicationName: 'bullpen leader lock',
      onLost: (error) => {
        this.#lose();
        this.#warn('leader lock connection was lost', error);
      },
    });
  }

  hold(): Promise<boolean> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async release(): Promise<void> {
    this.#released = true;
    await this.#asking;
    this.#lose();
    await this.#connection.close();
  }

  async #ask(): Promise<boolean> {
    if (this.#released) return false;
    try {
      const client = await this.#connection.open((opened) => limitSilence(opened, this.#silenceMs));
      // Advisory locks count: taking one that is ours again would make it survive its release.
      if (this.#held) await client.query('SELECT 1');
      else this.#held = await tryLock(client, this.#key);
    } catch (error) {
      this.#lose();
      this.#warn('leader lock cannot be checked', error);
      await this.#connection.drop();
    }
    return this.#held;
  }

  #lose(): void {
    this.#held = false;
  }
}

async function limitSilence(client: Client, ms: number): Promise<void> {
  await client.query(`SET idle_session_timeout = ${ms}`);
}

async function tryLock(client: Client, key: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    'SELECT pg_try_advisory_lock($1::bigint) AS locked',
    [key],
  );
  return rows[0]?.locked === true;
}

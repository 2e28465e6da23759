/** Whether this gateway can do its work: database, schema, queue. */
import type { Readiness } from '@bullpen/contracts';
import type { TaskQueue } from '@bullpen/queue';
import { migrationStatus } from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { EventHub } from '../events/event-hub.js';
import { POOL, TASK_QUEUE, type Pool } from '../http/tokens.js';

/** A check that takes longer than this has failed, in ms: whoever asks wants an answer. */
const CHECK_TIMEOUT_MS = 2_000;

type Check = Readiness['checks'][number];

@Injectable()
export class ReadinessService {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(TASK_QUEUE) private readonly queue: TaskQueue,
    private readonly hub: EventHub,
  ) {}

  /** Looks at everything at once; never throws. */
  async check(): Promise<Readiness> {
    const checks = await Promise.all([
      named('postgres', async () => {
        const { rows } = await this.pool.query<{ mode: string }>(
          `select current_setting('transaction_read_only') as mode`,
        );
        if (rows[0]?.mode === 'on')
          throw new Error('does not accept writes: it is a replica, or set to read only');
        return 'answers';
      }),
      named('migrations', () => this.#migrations()),
      named('queue', async () => {
        await this.queue.ping();
        return 'answers and accepts writes';
      }),
    ]);
    checks.push(...this.#liveEvents());
    return { status: checks.every(({ ok }) => ok) ? 'ready' : 'not_ready', checks };
  }

  /** Only spoken of when something is wrong: then streams are silent although everything answers. */
  #liveEvents(): Check[] {
    const trouble = this.hub.trouble();
    return trouble === null
      ? []
      : [{ name: 'live_events', ok: false, detail: shortText(new Error(trouble)) }];
  }

  async #migrations(): Promise<string> {
    const { pending, failed, unknown } = await migrationStatus(this.pool);
    if (failed.length > 0) throw new Error(`half done: ${fewOf(failed)}`);
    if (pending.length > 0) throw new Error(`not applied: ${fewOf(pending)}; run "bullpen migrate"`);
    if (unknown.length > 0) throw new Error(`the database is newer than this gateway: ${fewOf(unknown)}`);
    return 'up to date';
  }
}

async function named(name: string, look: () => Promise<string>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
  });
  try {
    return { name, ok: true, detail: await Promise.race([look(), timeout]) };
  } catch (error) {
    return { name, ok: false, detail: shortText(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** The first names of a list; the rest is counted, so that what to do about it is not cut off. */
function fewOf(names: readonly string[]): string {
  const more = names.length - 3;
  return names.slice(0, 3).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Public: says what is wrong, but no address and no credentials. */
function shortText(error: unknown): string {
  const text = error instanceof Error ? error.message || 'no connection' : 'failed';
  return text
    .replace(/\S+:\/\/\S+/g, '…')
    .replace(/\b[\d.]+:\d+\b/g, '…')
    .slice(0, 300);
}

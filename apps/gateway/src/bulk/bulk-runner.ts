/**
 * Works off bulk actions, a batch of one after a batch of another. What a gateway that died has left is taken up by any other, or by its successor,
 * when its lease has run out.
 */
import { AppError, errorText } from '@bullpen/contracts';
import { Repeating } from '@bullpen/platform';
import {
  BulkWork,
  type ClaimedBulk,
  type ItemEnd,
  type LeftItem,
  type TaskCommands,
  type Within,
} from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, POOL, TASK_COMMANDS, type Logger, type Pool } from '../http/tokens.js';
import { RetriesService } from '../tasks/retries.service.js';
import { doToOne } from './bulk-verbs.js';

/** How often somebody looks whether another gateway has left something. */
const LOOK_MS = 2_000;
const BATCH = 50;
/** Much longer than a batch takes; so long rests what a gateway leaves that dies. */
const LEASE_MS = 30_000;

@Injectable()
export class BulkRunner implements OnApplicationBootstrap, OnModuleDestroy {
  readonly work: BulkWork;
  readonly #looking: Repeating;
  #running: Promise<void> | null = null;
  #stopping = false;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(TASK_COMMANDS) private readonly commands: TaskCommands,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly retries: RetriesService,
  ) {
    this.work = new BulkWork(pool);
    this.#looking = new Repeating({
      name: 'looking for bulk actions',
      everyMs: LOOK_MS,
      run: () => this.poke(),
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.#looking.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping = true;
    await this.#looking.stop();
    await this.#running;
  }

  /** There is something to do; resolves when nothing is left. */
  poke(): Promise<void> {
    this.#running ??= this.#runAll()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'bulk actions rest for a moment'))
      .finally(() => (this.#running = null));
    return this.#running;
  }

  async #runAll(): Promise<void> {
    while (!this.#stopping) {
      const bulk = await this.work.claim(LEASE_MS);
      if (bulk === null) return;
      await this.#runBatch(bulk).finally(() => this.work.release(bulk.id));
    }
  }

  async #runBatch(bulk: ClaimedBulk): Promise<void> {
    const until = performance.now() + LEASE_MS / 3;
    for (const item of await this.work.left(bulk.id, BATCH)) {
      if (this.#stopping || performance.now() > until) return;
      await this.#runOne(bulk, item);
    }
  }

  async #runOne(bulk: ClaimedBulk, item: LeftItem): Promise<void> {
    const { id } = bulk;
    const mark =
      (newTaskId?: string): Within =>
      async (client) => {
        const end: ItemEnd = { state: 'done', ...(newTaskId !== undefined && { newTaskId }) };
        if (await this.work.settle(id, item.position, end, client)) return;
        throw new AppError('internal_error', 'Somebody else has done this part of the bulk action');
      };
    const end = await doToOne(
      { commands: this.commands, retries: this.retries },
      { bulk, ...item, mark },
    ).catch((error: unknown): ItemEnd => {
      // One that breaks must not keep the others from being tried.
      this.logger.warn({ err: error, taskId: item.taskId, bulkId: id }, 'a part of a bulk action broke');
      const ours = error instanceof AppError && error.code !== 'internal_error';
      return {
        state: 'refused',
        reason: ours ? errorText(error) : 'It broke; the log of the gateway says why.',
      };
    });
    // What was marked by its own transaction stays as it is.
    await this.work.settle(id, item.position, end);
  }
}

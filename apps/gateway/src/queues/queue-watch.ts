/**
 * The queue as this gateway knows it. Samples are stored by whichever gateway comes first; what is asked for now is read once for all who ask
 * within a second. So neither costs more when more people look.
 */
import { AppError } from '@bullpen/contracts';
import { Repeating } from '@bullpen/platform';
import { getQueueState, getWorkers, sampleQueue, type Prisma, type QueueState } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, POOL, PRISMA, type Logger, type Pool } from '../http/tokens.js';
import { Shared } from './shared-look.js';

/** The name under which the API knows the one queue that there is. */
export const TASK_QUEUE_NAME = 'tasks';

/** Half of what samples are apart: then none is missed when one try fails. */
const SAMPLE_MS = 5_000;
/** What was read this recently is new enough for whoever asks, in ms. */
const FRESH_MS = 1_000;

@Injectable()
export class QueueWatch implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #sampling: Repeating;
  readonly #state: Shared<QueueState>;
  readonly #workers: Shared<Awaited<ReturnType<typeof getWorkers>>>;

  constructor(@Inject(POOL) pool: Pool, @Inject(PRISMA) prisma: Prisma, @Inject(LOGGER) logger: Logger) {
    this.#sampling = new Repeating({
      name: 'taking samples of the queue',
      everyMs: SAMPLE_MS,
      run: async () => void (await sampleQueue(pool)),
      logger,
    });
    this.#state = new Shared(FRESH_MS, async () => {
      const state = await getQueueState(prisma, TASK_QUEUE_NAME);
      if (state === null) throw new AppError('internal_error', 'The queue has lost its row');
      return state;
    });
    this.#workers = new Shared(FRESH_MS, () => getWorkers(prisma));
  }

  /** The queue, at most a second ago; after `change` as it is then. */
  state(): Promise<QueueState> {
    return this.#state.get();
  }

  /** The workers, at most a second ago. */
  workers(): ReturnType<typeof getWorkers> {
    return this.#workers.get();
  }

  /** Somebody changed something here: the next look must see it. */
  changed(): void {
    this.#state.forget();
    this.#workers.forget();
  }

  onApplicationBootstrap(): void {
    this.#sampling.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#sampling.stop();
  }
}

/** Removes answers that are kept long enough. */
import { Repeating } from '@bullpen/platform';
import { purgeIdempotencyKeys, type Prisma } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PRISMA, type Logger } from './tokens.js';

const EVERY_MS = 3_600_000;

@Injectable()
export class IdempotencyPurge implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #work: Repeating;

  constructor(@Inject(PRISMA) prisma: Prisma, @Inject(LOGGER) logger: Logger) {
    this.#work = new Repeating({
      name: 'removing old idempotency keys',
      everyMs: EVERY_MS,
      run: async () => {
        const removed = await purgeIdempotencyKeys(prisma);
        if (removed > 0) logger.debug({ removed }, 'idempotency keys removed');
      },
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.#work.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#work.stop();
  }
}

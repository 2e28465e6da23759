/** Removes answers that are kept long enough. */
import { purgeIdempotencyKeys, type Prisma } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PRISMA, type Logger } from './tokens.js';

const EVERY_MS = 3_600_000;

@Injectable()
export class IdempotencyPurge implements OnApplicationBootstrap, OnModuleDestroy {
  #timer: NodeJS.Timeout | null = null;

  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#timer = setInterval(() => void this.#purge(), EVERY_MS);
    this.#timer.unref();
  }

  onModuleDestroy(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  async #purge(): Promise<void> {
    try {
      const removed = await purgeIdempotencyKeys(this.prisma);
      if (removed > 0) this.logger.debug({ removed }, 'idempotency keys removed');
    } catch (error) {
      this.logger.warn({ err: error }, 'could not remove old idempotency keys; trying again in an hour');
    }
  }
}

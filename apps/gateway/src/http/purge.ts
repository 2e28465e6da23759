/** Removes what is kept for some hours only: answers to idempotency keys, browser sessions. */
import { Repeating } from '@bullpen/platform';
import { purgeIdempotencyKeys, purgeSessions, type Prisma } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PRISMA, type Logger } from './tokens.js';

const EVERY_MS = 3_600_000;

const KINDS = { 'idempotency keys': purgeIdempotencyKeys, sessions: purgeSessions };

@Injectable()
export class Purge implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #work: readonly Repeating[];

  constructor(@Inject(PRISMA) prisma: Prisma, @Inject(LOGGER) logger: Logger) {
    this.#work = Object.entries(KINDS).map(
      ([kind, purge]) =>
        new Repeating({
          name: `removing old ${kind}`,
          everyMs: EVERY_MS,
          run: async () => {
            const removed = await purge(prisma);
            if (removed > 0) logger.debug({ removed }, `old ${kind} removed`);
          },
          logger,
        }),
    );
  }

  onApplicationBootstrap(): void {
    for (const work of this.#work) work.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.#work.map((work) => work.stop()));
  }
}

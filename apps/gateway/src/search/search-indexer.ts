/** Keeps the index of the search up with the events; of several gateways whichever is free does it. */
import type { Masker } from '@bullpen/core';
import { Repeating } from '@bullpen/platform';
import { indexEvents } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, MASKER, POOL, type Logger, type Pool } from '../http/tokens.js';

const EVERY_MS = 1_000;

@Injectable()
export class SearchIndexer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #work: Repeating;

  constructor(@Inject(POOL) pool: Pool, @Inject(MASKER) masker: Masker, @Inject(LOGGER) logger: Logger) {
    this.#work = new Repeating({
      name: 'filling the index of the search',
      everyMs: EVERY_MS,
      run: () => indexEvents(pool, (text) => masker.mask(text)),
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

/** Keeps the index of the search up with the events; of several gateways whichever is free does it. */
import type { Masker } from '@bullpen/core';
import { Repeating } from '@bullpen/platform';
import type { EventBus } from '@bullpen/queue';
import { indexEvents } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EVENT_BUS, LOGGER, MASKER, POOL, type Logger, type Pool } from '../http/tokens.js';

/** How far the index may be behind events that this gateway hears of, in ms. */
const EVERY_MS = 1_000;
/** The same for events whose message was lost, while nothing else happens. */
const CALM_MS = 8_000;

@Injectable()
export class SearchIndexer implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #work: Repeating;
  #unsubscribe: (() => Promise<void>) | null = null;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(MASKER) masker: Masker,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#work = new Repeating({
      name: 'filling the index of the search',
      ...{ everyMs: EVERY_MS, calmMs: CALM_MS },
      run: () => indexEvents(pool, (text) => masker.mask(text)),
      logger,
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    this.#work.start();
    const stir = (): void => this.#work.stir();
    this.#unsubscribe = await this.bus.subscribe(({ kind }) => void (kind === 'rows' && stir()), stir);
  }

  async onModuleDestroy(): Promise<void> {
    await this.#work.stop();
    await this.#unsubscribe?.();
  }
}

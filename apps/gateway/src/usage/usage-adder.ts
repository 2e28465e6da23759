/** Adds usage up by hours; of several gateways whichever is free does it. */
import { Repeating } from '@bullpen/platform';
import { addUpUsage } from '@bullpen/store';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, POOL, type Logger, type Pool } from '../http/tokens.js';

/** The first look comes soon: a month that was never added up is. */
const EVERY_MS = 5_000;
/** What is not added up yet is read call by call, which for an hour is not much. */
const CALM_MS = 900_000;

@Injectable()
export class UsageAdder implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #work: Repeating;

  constructor(@Inject(POOL) pool: Pool, @Inject(LOGGER) logger: Logger) {
    this.#work = new Repeating({
      name: 'adding usage up',
      ...{ everyMs: EVERY_MS, calmMs: CALM_MS },
      run: () => addUpUsage(pool),
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.#work.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#work.stop();
  }
}

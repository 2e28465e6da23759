/** Nest's own messages in the log of the process. Its start-up chatter is for debugging. */
import type { LoggerService } from '@nestjs/common';
import type { Logger } from './tokens.js';

export class NestLogger implements LoggerService {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger.child({ part: 'nest' });
  }

  log(message: unknown, ...rest: unknown[]): void {
    this.#logger.debug({ context: rest.at(-1) }, String(message));
  }
  debug(message: unknown, ...rest: unknown[]): void {
    this.#logger.trace({ context: rest.at(-1) }, String(message));
  }
  verbose(message: unknown, ...rest: unknown[]): void {
    this.#logger.trace({ context: rest.at(-1) }, String(message));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.#logger.warn({ context: rest.at(-1) }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    const err = message instanceof Error ? message : undefined;
    this.#logger.error({ err, context: rest.at(-1) }, String(message));
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.#logger.fatal({ context: rest.at(-1) }, String(message));
  }
}

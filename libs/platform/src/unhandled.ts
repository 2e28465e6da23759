/** Errors that nobody caught: the state of the process is unknown, so it ends. Its tasks are picked up by others. */
import type { EventEmitter } from 'node:events';
import type { Logger } from './logger.js';

interface UnhandledOptions {
  readonly logger: Logger;
  /** @defaultValue `process` */
  readonly source?: EventEmitter;
  /** @defaultValue `process.exit` */
  readonly exit?: (code: number) => void;
}

/** Logs an unhandled rejection or an uncaught exception as fatal and exits with code 1. Returns a function that stops listening. */
export function exitOnUnhandled(options: UnhandledOptions): () => void {
  const { logger, source = process, exit = (code) => process.exit(code) } = options;
  const end = (message: string) => (error: unknown) => {
    try {
      logger.fatal({ err: error }, message);
    } finally {
      exit(1);
    }
  };
  const onRejection = end('a promise was rejected and nobody handled it');
  const onException = end('an exception was not caught');
  source.on('unhandledRejection', onRejection);
  source.on('uncaughtException', onException);
  return () => {
    source.off('unhandledRejection', onRejection);
    source.off('uncaughtException', onException);
  };
}

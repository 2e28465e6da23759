/**
 * How a process ends: on a signal, when its parent is gone, or when a part of it has failed for good, the steps run in order; whatever hangs is cut off after a
 * time, as a supervisor would do less kindly.
 */
import type { EventEmitter } from 'node:events';
import type { Logger } from './logger.js';

/** One thing to close. Should end soon on its own; a throw is logged and does not keep the later steps from running. */
export interface ShutdownStep {
  readonly name: string;
  run(): Promise<void>;
}

interface ShutdownOptions {
  readonly logger: Logger;
  /** For all steps together; then the process exits with code 1. */
  readonly timeoutMs: number;
  /** Fires with the reason when a part that nothing can go on without has failed: then the steps run, too, and the exit code is 1. */
  readonly failed?: AbortSignal;
  /** What emits the signals. @defaultValue `process` */
  readonly source?: EventEmitter;
  /** @defaultValue `process.exit` */
  readonly exit?: (code: number) => void;
  /** Clock in ms. @defaultValue `performance.now` */
  readonly now?: () => number;
}

const REQUESTS = ['SIGTERM', 'SIGINT', 'disconnect'] as const;
type Request = (typeof REQUESTS)[number] | 'failed';

/** Ctrl-C reaches the whole process group and a supervisor may signal all of it: the copies are one request. */
const SAME_REQUEST_MS = 500;

/**
 * On the first SIGTERM, SIGINT or lost IPC channel to the parent: runs the steps, then exits with 0, or with 1 when a step
 * failed or the time was over. The same signal again (later than half a second) exits with 1 at once; a different one does
 * not, as a parent may pass on as SIGTERM what its children already got as SIGINT. Returns a function that stops listening.
 */
export function onShutdown(options: ShutdownOptions, steps: readonly ShutdownStep[]): () => void {
  const { logger, timeoutMs, failed, source = process, exit = (code) => process.exit(code) } = options;
  const now = options.now ?? (() => performance.now());
  let first: { request: Request; at: number } | null = null;

  const listeners = REQUESTS.map((request) => {
    const listener = (): void => {
      if (first === null) {
        first = { request, at: now() };
        logger.info({ request, timeoutMs }, 'shutting down');
        void runToEnd(0);
      } else if (first.request === request && now() - first.at > SAME_REQUEST_MS) {
        logger.warn({ request }, 'asked again: exiting at once');
        exit(1);
      }
    };
    source.on(request, listener);
    return { request, listener };
  });

  async function runToEnd(code: number): Promise<void> {
    const timer = setTimeout(() => {
      logger.error({ timeoutMs }, 'shutdown took too long: exiting at once');
      exit(1);
    }, timeoutMs);
    const clean = await runSteps(steps, logger);
    clearTimeout(timer);
    exit(clean ? code : 1);
  }

  const fail = (): void => {
    logger.fatal({ err: failed?.reason as unknown }, 'a part of this process has failed: ending in order');
    if (first !== null) return;
    first = { request: 'failed', at: now() };
    void runToEnd(1);
  };
  if (failed?.aborted) fail();
  else failed?.addEventListener('abort', fail, { once: true });

  return () => listeners.forEach(({ request, listener }) => source.off(request, listener));
}

/** Runs the steps one after the other, each logged with its duration. True when none of them threw; never throws. */
export async function runSteps(steps: readonly ShutdownStep[], logger: Logger): Promise<boolean> {
  let clean = true;
  // In order on purpose: what takes in work closes before what the work needs.
  for (const step of steps) {
    const startedAt = performance.now();
    try {
      await step.run();
      logger.info(
        { step: step.name, durationMs: Math.round(performance.now() - startedAt) },
        'shutdown step done',
      );
    } catch (error) {
      clean = false;
      logger.error({ step: step.name, err: error }, 'shutdown step failed');
    }
  }
  return clean;
}

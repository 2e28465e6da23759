/** A log line for repeated trouble: a lost server gives one line per kind and second, not one per try. */
import { errorText } from '@bullpen/contracts';
import type { Logger } from '@bullpen/platform';

/** At most one line per message and this time, in ms. */
const QUIET_MS = 5_000;

/** Forget messages beyond this many, so that texts with ids or ports in them cannot fill the memory. */
const MAX_MESSAGES = 100;

/** Logs an error as a warning; repeats of the same text within 5 s are counted and reported with the next line. */
export type QuietLog = (what: string, error: unknown) => void;

/** Each part has its own log. `now` is a clock in ms. */
export function quietLog(logger: Logger, now: () => number = () => performance.now()): QuietLog {
  const seen = new Map<string, { at: number; repeats: number }>();
  return (what, error) => {
    const key = `${what}: ${errorText(error)}`;
    const last = seen.get(key);
    if (last !== undefined && now() - last.at < QUIET_MS) {
      last.repeats += 1;
      return;
    }
    if (seen.size >= MAX_MESSAGES) seen.clear();
    seen.set(key, { at: now(), repeats: 0 });
    logger.warn({ err: error, ...(last?.repeats ? { repeats: last.repeats } : {}) }, what);
  };
}

import { isUnreachable } from './pool.js';

/**
 * Does the work for each, one after the other. One that fails keeps no other from its turn; without a database there is no use in going on.
 * @throws AggregateError at the end, of those that failed
 */
export async function eachAlone<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const failed: unknown[] = [];
  for (const one of all) {
    try {
      await work(one);
    } catch (error) {
      if (isUnreachable(error)) throw error;
      failed.push(error);
    }
  }
  if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${all.length} failed`);
}

/** The invariants of the design, checked on the live database again and again, some trees at a time: what a worker that leads does on request. */
import type { ReconcilerJob } from '@bullpen/queue';
import { checkInvariants, nextRoots, type createPool, type StoreReconciler } from '@bullpen/store';
import type { Logger } from '@bullpen/platform';

/** Name of the counter that people see beside the repairs; it counts violations, once for each check that finds them. */
const VIOLATIONS = 'invariant_violation';

/** Trees of one look. */
const TREES = 50;

/**
 * A job for the reconciler that only looks: at the next trees, and at the first ones again after the last, so that a look costs the same
 * however many there are. Each violation is an error in the log, with the rows that break the rule, and counts;
 * nothing is mended, because nobody knows what is right. `everyMs` 0: there is no job.
 */
export function invariantWatch(
  everyMs: number,
  pool: ReturnType<typeof createPool>,
  store: Pick<StoreReconciler, 'countRepairs'>,
  logger: Logger,
): readonly ReconcilerJob[] {
  if (everyMs === 0) return [];
  let after = '';
  const run = async (): Promise<number> => {
    const roots = await nextRoots(pool, after, TREES);
    const broken = (await checkInvariants(pool, roots)).filter(({ holds }) => !holds);
    after = (roots.length === TREES && roots.at(-1)) || '';
    for (const { id, title, violations } of broken)
      logger.error({ id, title, violations }, 'an invariant is broken');
    if (broken.length > 0) await store.countRepairs(VIOLATIONS, broken.length);
    return 0; // Looking is no repair.
  };
  return [{ name: VIOLATIONS, everyMs, run }];
}

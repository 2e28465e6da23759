/** What the gateway tells after a commit: the queue of new work, watchers of new rows, workers of cancels. */
import type { EventBus, TaskQueue } from '@bullpen/queue';
import { markAnnounced, type CommitEffects } from '@bullpen/store';
import type { Logger, Pool } from '../http/tokens.js';

/**
 * Tells and does not wait: the answer to the user must not depend on the queue. What gets lost here, by a crash or by a lost
 * queue, is found and announced again by the reconciler.
 */
export function tellCommitted(deps: { pool: Pool; queue: TaskQueue; bus: EventBus; logger: Logger }) {
  const { pool, queue, bus, logger } = deps;
  return ({ wakes, rows, cancels }: CommitEffects): void => {
    for (const row of rows) bus.publish({ kind: 'rows', ...row });
    for (const cancel of cancels) bus.publish({ kind: 'cancel', ...cancel });
    if (wakes.length === 0) return;
    queue
      .announce(wakes.map((wake) => ({ ...wake, tries: 0 })))
      .then(({ announced }) => markAnnounced(pool, announced))
      .catch((error: unknown) =>
        logger.warn({ err: error, wakes }, 'could not note an announcement; it will be repeated'),
      );
  };
}

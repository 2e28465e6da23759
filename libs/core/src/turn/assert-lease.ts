/** The last look before an effect. */
import { AppError } from '@bullpen/contracts';
import type { Run } from './run.js';

/**
 * To be called with nothing between it and the effect. The commit before the effect was let through while the lease was good, but a
 * process that is stopped while that answer is on its way reads it when another worker already has the task.
 * @throws AppError `lease_lost` when the lease may have run out: stop at once, as after a fenced commit.
 */
export function assertLease({ state, deps }: Run): void {
  if (deps.holdsLease()) return;
  const { taskId, epoch } = state.lease;
  throw new AppError(
    'lease_lost',
    `The lease of ${taskId} (epoch ${epoch}) may have run out; stopping before anything starts`,
  );
}

/** What the reconciler looks after, and how often. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Announcer, ReconcilerJob, TaskQueue, Wake } from '@bullpen/queue';
import type { Dispatches, StoreReconciler } from '@bullpen/store';

/** An announced wake that nobody claimed for this long is looked at again. */
const UNCLAIMED_MS = 5_000;
/** A worker claims what it has taken from the queue in less than this. */
const CLAIM_MS = 1_000;

export interface ReconcilerJobDeps {
  readonly store: StoreReconciler;
  readonly dispatches: Pick<Dispatches, 'unclaimed'>;
  readonly announcer: Pick<Announcer, 'dispatch' | 'repeat'>;
  readonly queue: Pick<TaskQueue, 'notWaiting'>;
}

/** The jobs by name; the names are the repair counters that people see. */
export function reconcilerJobs(deps: ReconcilerJobDeps): readonly ReconcilerJob[] {
  const { store, announcer } = deps;
  return [
    // Wakes whose time has come, and whatever no process asked for: work, no repair.
    { name: 'dispatch', everyMs: 1_000, run: () => announcer.dispatch().then(() => 0) },
    { name: 'expired_lease', everyMs: 1_000, run: () => store.expireLeases() },
    { name: 'lost_wake', everyMs: 1_000, run: () => store.fireDueWaits() },
    { name: 'lost_announcement', everyMs: 1_000, run: () => repeatLost(deps) },
    { name: 'open_edge', everyMs: 2_000, run: () => store.healEdges() },
    { name: 'missing_dispatch', everyMs: 2_000, run: () => store.healDispatches() },
  ];
}

/**
 * Announces again what the queue has lost. A wake may stand in line for hours while all slots are busy, so the queue is asked; what
 * does not stand there may just have been taken by a worker, so it is asked again when that worker had time to claim it.
 */
async function repeatLost(deps: ReconcilerJobDeps): Promise<number> {
  if ((await gone(deps)).length === 0) return 0;
  await pause(CLAIM_MS);
  const lost = await gone(deps);
  await deps.announcer.repeat(lost);
  return lost.length;
}

/** Wakes that are unclaimed for long and do not wait in the queue. */
async function gone({ dispatches, queue }: ReconcilerJobDeps): Promise<Wake[]> {
  const unclaimed = await dispatches.unclaimed(UNCLAIMED_MS);
  if (unclaimed.length === 0) return [];
  // `tries` is that of the next announcement; the queue knows the one before.
  const missing = await queue.notWaiting(unclaimed.map((wake) => ({ ...wake, tries: wake.tries - 1 })));
  return missing.map((wake) => ({ ...wake, tries: wake.tries + 1 }));
}

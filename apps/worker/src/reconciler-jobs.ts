/** What the reconciler looks after, and how often. */
import type { AnnouncedWake } from '@bullpen/contracts';
import { MAX_DELAYED_SHOWN, type Announcer, type ReconcilerJob, type TaskQueue } from '@bullpen/queue';
import type { Dispatches, StoreReconciler } from '@bullpen/store';
import { delayedJobs } from './delayed-jobs.js';

/** An announced wake that nobody claimed for this long is looked at again. */
const UNCLAIMED_MS = 5_000;
/** A worker that has taken a wake from the queue, and has not claimed its task after this, is dead or cannot. */
const CLAIM_MS = 5_000;

export interface ReconcilerJobDeps {
  readonly store: StoreReconciler;
  readonly dispatches: Pick<Dispatches, 'unclaimed'>;
  readonly announcer: Pick<Announcer, 'dispatch' | 'repeat'>;
  readonly queue: Pick<TaskQueue, 'placesOf' | 'showDelayed'>;
}

/** Wakes that are nearer than this are not worth a delayed job. */
const SHOWN_FROM_MS = 5_000;

/** The one look for all jobs that run only when they are asked. */
export function lookForWork(store: Pick<StoreReconciler, 'jobsWithWork'>): Promise<ReadonlySet<string>> {
  return store.jobsWithWork(UNCLAIMED_MS, SHOWN_FROM_MS);
}

/** The jobs by name; the names are the repair counters that people see. */
export function reconcilerJobs(deps: ReconcilerJobDeps): readonly ReconcilerJob[] {
  const { store, announcer } = deps;
  const taken = new Map<string, number>();
  const asked = { whenAsked: true };
  return [
    // Wakes whose time has come, and whatever no process asked for: work, no repair.
    { name: 'dispatch', everyMs: 1_000, ...asked, run: () => announcer.dispatch().then(() => 0) },
    { name: 'expired_lease', everyMs: 1_000, ...asked, run: () => store.expireLeases() },
    { name: 'due_wait', everyMs: 1_000, ...asked, run: () => store.fireDueWaits() },
    { name: 'provider_wait', everyMs: 1_000, ...asked, run: () => store.wakeProviderWaits() },
    { name: 'budget_wait', everyMs: 1_000, ...asked, run: () => store.wakeBudgetWaits() },
    { name: 'lost_announcement', everyMs: 1_000, ...asked, run: () => repeatLost(deps, taken) },
    { name: 'expired_interaction', everyMs: 1_000, ...asked, run: () => store.expireInteractions() },
    { name: 'deadline', everyMs: 1_000, ...asked, run: () => store.endOverdue() },
    { name: 'lost_wake', everyMs: 2_000, ...asked, run: () => store.healWakes() },
    { name: 'lost_process', everyMs: 2_000, ...asked, run: () => store.endLostProcesses() },
    { name: 'open_edge', everyMs: 2_000, ...asked, run: () => store.healEdges() },
    { name: 'missing_dispatch', everyMs: 2_000, ...asked, run: () => store.healDispatches() },
    delayedJobs(() => store.laterWakes(SHOWN_FROM_MS, MAX_DELAYED_SHOWN), deps.queue),
  ];
}

/**
 * Announces again what the queue has lost. A wake may stand in line for hours while all slots are busy, so the queue is asked where
 * it is. `takenSince` remembers from look to look which wakes a worker holds without a claim.
 */
async function repeatLost(deps: ReconcilerJobDeps, takenSince: Map<string, number>): Promise<number> {
  const { dispatches, announcer, queue } = deps;
  const unclaimed = await dispatches.unclaimed(UNCLAIMED_MS);
  // `tries` is that of the next announcement; the queue knows the one before.
  const places = await queue.placesOf(unclaimed.map((wake) => ({ ...wake, tries: wake.tries - 1 })));
  const before = new Map(takenSince);
  takenSince.clear();
  const now = performance.now();
  const missing = unclaimed.filter((wake, index) => {
    if (places[index] !== 'taken') return places[index] === 'gone';
    const since = before.get(keyOf(wake)) ?? now;
    takenSince.set(keyOf(wake), since);
    return now - since >= CLAIM_MS;
  });
  if (missing.length === 0) return 0;
  // What was claimed between the two questions is gone from the queue and not lost.
  const still = new Set((await dispatches.unclaimed(UNCLAIMED_MS)).map(keyOf));
  const lost = missing.filter((wake) => still.has(keyOf(wake)));
  await announcer.repeat(lost);
  return lost.length;
}

function keyOf({ taskId, wake, tries }: AnnouncedWake): string {
  return `${taskId}-${wake}-${tries}`;
}

/** What the reconciler looks after, and how often. */
import { MAX_DELAYED_SHOWN, type Announcer, type ReconcilerJob, type TaskQueue } from '@bullpen/queue';
import type { StoreReconciler } from '@bullpen/store';

/** An announced wake that nobody claimed for this long is looked at again. */
const UNCLAIMED_MS = 5_000;
/** With other wakes waiting before it in the queue, it is given this long. */
const UNCLAIMED_IN_LINE_MS = 60_000;
/** Announcing later than this after the commit is a repair: the announcer after the commit must have failed. */
const LATE_MS = 3_000;

/** Wakes that are nearer than this are not worth a delayed job. */
const SHOWN_FROM_MS = 5_000;

/** The jobs by name; the names are the repair counters that people see. */
export function reconcilerJobs(
  store: StoreReconciler,
  announcer: Announcer,
  queue: TaskQueue,
): readonly ReconcilerJob[] {
  return [
    { name: 'expired_lease', everyMs: 1_000, run: () => store.expireLeases() },
    { name: 'lost_wake', everyMs: 1_000, run: () => store.fireDueWaits() },
    { name: 'provider_wait', everyMs: 1_000, run: () => store.wakeProviderWaits() },
    { name: 'lost_announcement', everyMs: 1_000, run: () => announceDue(store, announcer, queue) },
    { name: 'deadline', everyMs: 1_000, run: () => store.endOverdue() },
    { name: 'open_edge', everyMs: 2_000, run: () => store.healEdges() },
    { name: 'missing_dispatch', everyMs: 2_000, run: () => store.healDispatches() },
    { name: 'delayed_jobs', everyMs: 3_000, run: () => showDelayed(store, queue) },
  ];
}

/** Shows what waits for a due time as delayed jobs, for people who look at the queue. No repair: gives 0. */
async function showDelayed(store: StoreReconciler, queue: TaskQueue): Promise<number> {
  await queue.showDelayed(await store.laterWakes(SHOWN_FROM_MS, MAX_DELAYED_SHOWN));
  return 0;
}

/** Announces due wakes. Those whose time has just come are no repair; those that were missed, or lost by the queue, are. */
async function announceDue(store: StoreReconciler, announcer: Announcer, queue: TaskQueue): Promise<number> {
  const due = await store.dueDispatches(UNCLAIMED_MS);
  if (due.length === 0) return 0;
  // Wakes wait in line behind others for good reasons; only an empty queue proves that one was lost.
  const inLine = due.some(({ fresh }) => !fresh) && (await queue.depth()).waiting > 0;
  const lost = inLine ? await store.dueDispatches(UNCLAIMED_IN_LINE_MS) : due;
  const wakes = lost.map(({ taskId, wake, announces }) => ({ taskId, wake, tries: announces }));
  await announcer.announce(wakes);
  return lost.filter(({ fresh, overdueMs }) => !fresh || overdueMs > LATE_MS).length;
}

/** Keeps what waits for a due time in sight, for people who look at the queue. */
import type { LaterWake } from '@bullpen/contracts';
import type { ReconcilerJob, TaskQueue } from '@bullpen/queue';

const EVERY_MS = 3_000;
/** What has not changed is shown again after so many looks: a queue can lose it. */
const SHOWN_AGAIN = 5;
/** So often it is seen that there is nothing any more: a queue that is away for a while must not go on showing what there was. */
const SEEN_EMPTY = 20;

/** Shows `later` as delayed jobs. To compare them with hundreds that the queue has costs more than to see that they are the same as before. No repair: gives 0. */
export function delayedJobs(
  later: () => Promise<readonly LaterWake[]>,
  queue: Pick<TaskQueue, 'showDelayed'>,
): ReconcilerJob {
  let shown = '';
  let same = 0;
  return {
    name: 'delayed_jobs',
    everyMs: EVERY_MS,
    get whenAsked() {
      return shown === '' && same >= SEEN_EMPTY;
    },
    run: async () => {
      const wakes = await later();
      const now = wakes.map(({ taskId, wake }) => `${taskId}-${wake}`).join(' ');
      same = now === shown ? same + 1 : 0;
      shown = now;
      if (same % SHOWN_AGAIN === 0) await queue.showDelayed(wakes);
      return 0;
    },
  };
}

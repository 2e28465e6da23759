/**
 * Delayed jobs show what waits for a due time. They are updated from Postgres every few seconds, so a wait that ends early, or a
 * queue that lost everything, needs no special care.
 */
import type { LaterWake } from '@bullpen/contracts';
import type { Job, Queue } from 'bullmq';
import { queueLimits } from './connection.js';
import { delayedJobId, wakeJob } from './task-queue.js';

/** The name tells them from wakes, in the dashboards and for the worker that takes one when its time has come. */
const DELAYED_JOB_NAME = 'due';

/** Most delayed jobs that are shown; those that are due first. */
export const MAX_SHOWN = 500;

/** True for a job that only shows a delay. */
export function isDelayedShow(job: Job): boolean {
  return job.name === DELAYED_JOB_NAME;
}

/** Adds what is missing and removes what is over; the rest stays as it is, so that nothing new costs only one look. */
export async function drawDelayed(queue: Queue, wakes: readonly LaterWake[]): Promise<void> {
  const wanted = new Map(wakes.slice(0, MAX_SHOWN).map((wake) => [delayedJobId(wake), wake]));
  const shown = new Set(await queue.getRanges(['delayed'], 0, -1));
  const missing = [...wanted].filter(([id]) => !shown.has(id));
  // A job that becomes due at this moment is active and cannot be removed: it ends on its own.
  for (const id of shown) if (id.endsWith('-due') && !wanted.has(id)) await queue.remove(id);
  if (missing.length === 0) return;
  await queue.addBulk(
    missing.map(([jobId, wake]) => ({
      name: DELAYED_JOB_NAME,
      data: wakeJob({ ...wake, tries: 0 }),
      opts: {
        ...queueLimits().defaultJobOptions,
        jobId,
        delay: Math.max(1, Math.round(wake.dueInMs)),
        removeOnComplete: true,
        removeOnFail: true,
      },
    })),
  );
}

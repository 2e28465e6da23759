/** Jobs that end as failed with their task, and how to tell a job that somebody put back from a new one. */
import type { Job } from 'bullmq';

/** Thrown only to BullMQ: it fails the job with the message as its reason. */
export class JobFailed extends Error {
  override readonly name = 'JobFailed';
}

/** Remembered in the job's own data: BullMQ's bulk retry on Postgres forgets how often a job was tried. */
const ENDED = 'ended';

/**
 * True for a job that had ended when it was put back into the queue: a dashboard's retry button does that, and nothing else. The
 * job of a lost worker is not counted as tried before it fails, and it fails without being run again (`maxStalledCount` 0).
 */
export function endedBefore(job: Job): boolean {
  const data: unknown = job.data;
  return job.attemptsMade > 0 || (typeof data === 'object' && data !== null && ENDED in data);
}

/** Marks a job that is about to end as failed. */
export async function markEnded(job: Job): Promise<void> {
  await job.updateData({ ...(job.data as object), [ENDED]: true });
}

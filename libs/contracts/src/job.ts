/** Wakes, "task T has something to do", and the one job that the queue carries. */
import { z } from 'zod';
import { TaskId } from './ids.js';

export const WakeJob = z.object({ v: z.literal(1), taskId: TaskId, wake: z.int().positive() });
export type WakeJob = z.infer<typeof WakeJob>;

/** "Task T has something to do", again for each wake. */
export interface Wake {
  readonly taskId: string;
  /** The task's wake number; rises with each reason to run. */
  readonly wake: number;
}

/** A wake on its way to a worker. Queue job ids must be fresh, so it says how often it was announced before. */
export interface AnnouncedWake extends Wake {
  /** 0 for the first time. */
  readonly tries: number;
}

/** A wake whose time is still to come. */
export interface LaterWake extends Wake {
  readonly dueInMs: number;
}

/** The one job that the queue carries: "task T has something to do". */
import { z } from 'zod';
import { TaskId } from './ids.js';

export const WakeJob = z.object({ v: z.literal(1), taskId: TaskId, wake: z.int().positive() });
export type WakeJob = z.infer<typeof WakeJob>;

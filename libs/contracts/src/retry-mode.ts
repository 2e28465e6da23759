/** How a task is tried again. */
import { z } from 'zod';

/** `resume`: another attempt at a failed task, from where it stopped. `new`: a new task that starts an ended one over. */
export const RetryMode = z.enum(['resume', 'new']);

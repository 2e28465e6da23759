/** When the tasks of a tree did what: their states over time. */
import { z } from 'zod';
import { TaskId } from './ids.js';
import { TaskState, WaitReason } from './task.js';

const Span = z
  .object({
    state: TaskState,
    reason: WaitReason.nullable().describe('Why it waited.'),
    from: z.iso.datetime(),
    to: z.iso.datetime().nullable().describe('Null: it is still so.'),
  })
  .meta({ id: 'Span' });

/** The states of each task of a tree, oldest first. */
export const Timeline = z
  .object({
    rootId: TaskId,
    now: z.iso.datetime().describe('The clock that these times are of.'),
    tasks: z.array(z.object({ taskId: TaskId, spans: z.array(Span) })),
  })
  .meta({ id: 'Timeline' });
export type Timeline = z.infer<typeof Timeline>;

/** What goes on in a tree of tasks, in a few figures. */
import { z } from 'zod';
import { TaskId } from './ids.js';

/** What a task does right now: its tool call, or its model call. */
export const Doing = z
  .object({
    taskId: TaskId,
    kind: z.enum(['tool', 'model']),
    name: z.string().describe('The tool, or the model.'),
    detail: z.string().nullable().describe('The telling argument of the call, such as the command.'),
    since: z.iso.datetime(),
  })
  .meta({ id: 'Doing' });
export type Doing = z.infer<typeof Doing>;

/** What goes on in a task and everything below it. */
export const TreeSummary = z
  .object({
    tasks: z.int(),
    ended: z.int(),
    failed: z.int(),
    running: z.int(),
    asks: z.int().describe('Requests that wait for a person.'),
    ask: z
      .object({ id: z.string(), taskId: TaskId, kind: z.string(), title: z.string() })
      .nullable()
      .describe('The one that has waited for the longest.'),
    doing: Doing.nullable().describe('What has been under way for the longest.'),
    costUsd: z.string(),
    unpricedCalls: z.int(),
  })
  .meta({ id: 'TreeSummary' });
export type TreeSummary = z.infer<typeof TreeSummary>;

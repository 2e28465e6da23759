/** Failed tasks, grouped by how they failed. */
import { z } from 'zod';
import { AgentName } from './agent.js';
import { TaskId } from './ids.js';
import { Time } from './time.js';

/** Query of `GET /v1/failures`. */
export const FailuresQuery = z
  .strictObject({
    agent: AgentName.optional(),
    from: Time.optional().describe('Failed at this time or later.'),
    to: Time.optional().describe('Failed before this time.'),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  })
  .meta({ id: 'FailuresQuery' });
export type FailuresQuery = z.infer<typeof FailuresQuery>;

/** Failed tasks that failed in the same way. In the message, ids, paths and numbers are replaced by placeholders. */
export const FailureGroup = z
  .object({
    cause: z.string(),
    code: z.string(),
    errorClass: z.string().nullable(),
    message: z.string(),
    signature: z.string().describe('Names the group: `failure` in the filter of tasks.'),
    count: z.int(),
    roots: z.int().describe('How many of them are not subtasks, and so can be retried.'),
    firstAt: z.iso.datetime(),
    lastAt: z.iso.datetime(),
    exampleId: TaskId.describe('The one that failed last.'),
    agents: z.array(z.string()),
    trend: z.array(z.int()).describe('How many in each of the 24 equal parts of the time that is asked for.'),
    newest: z
      .array(z.object({ id: TaskId, title: z.string(), at: z.iso.datetime(), costUsd: z.string() }))
      .describe('The three that failed last.'),
  })
  .meta({ id: 'FailureGroup' });
export type FailureGroup = z.infer<typeof FailureGroup>;

export const FailureList = z
  .object({
    data: z.array(FailureGroup),
    total: z.int().describe('Failed tasks, including those of groups that are not shown.'),
    from: z.iso
      .datetime()
      .describe('Where the trends begin: as asked for, or when the first of them failed.'),
    to: z.iso.datetime(),
  })
  .meta({ id: 'FailureList' });
export type FailureList = z.infer<typeof FailureList>;

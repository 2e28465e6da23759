/** Many failed tasks at once: which ones, why they failed, and how to retry all of them. */
import { z } from 'zod';
import { AgentName, Limits } from './agent.js';
import { TaskId } from './ids.js';
import { RetryMode, StopCause } from './task.js';
import { readableText } from './text.js';
import { Time } from './time.js';

/** Which roots a bulk retry covers; all given conditions must fit. */
export const RetryFilter = z
  .strictObject({
    state: z.enum(['failed', 'cancelled', 'completed']).default('failed'),
    cause: StopCause.optional(),
    errorClass: z.string().min(1).max(64).optional().describe('Class of the model error, like `rate_limit`.'),
    agent: AgentName.optional(),
    tag: z.string().min(1).max(64).optional(),
    createdAfter: Time.optional(),
    createdBefore: Time.optional(),
    ids: z.array(TaskId).min(1).max(1_000).optional(),
  })
  .meta({ id: 'RetryFilter' });
export type RetryFilter = z.infer<typeof RetryFilter>;

/** Body of `POST /v1/tasks/retry`. Without `dryRun: false` it only says what it would do. */
export const RetryTasks = z
  .strictObject({
    filter: RetryFilter.prefault({}),
    dryRun: z.boolean().default(true).describe('Only say what would be done.'),
    mode: RetryMode.default('resume'),
    message: readableText(100_000).optional().describe('An additional message to each agent.'),
    limits: Limits.partial()
      .optional()
      .describe('Limits that should differ from those of the last attempts.'),
    max: z.int().min(1).max(1_000).default(100).describe('At most this many tasks, oldest first.'),
  })
  .meta({ id: 'RetryTasks' });
export type RetryTasks = z.infer<typeof RetryTasks>;
export type RetryTasksInput = z.input<typeof RetryTasks>;

export const RetryReport = z
  .object({
    dryRun: z.boolean(),
    matched: z.int().describe('Tasks that fit the filter.'),
    considered: z
      .int()
      .describe('How many of them were looked at: `max`, or as many as the time of a request allowed.'),
    retryable: z.int().describe('How many of those looked at can be retried.'),
    byCause: z.array(z.object({ cause: z.string(), matched: z.int(), retryable: z.int() })),
    refused: z.array(z.object({ id: TaskId, reason: z.string() })).describe('The first 20 that cannot.'),
    retried: z.array(TaskId).describe('Tasks that were queued; with mode `new` the new ones.'),
    costSoFarUsd: z.string().describe('What the retryable trees have cost so far.'),
  })
  .meta({ id: 'RetryReport' });
export type RetryReport = z.infer<typeof RetryReport>;

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

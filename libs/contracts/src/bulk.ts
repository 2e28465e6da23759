/** One thing done to many tasks, as a resource: looked at first, stored, worked off whatever process dies, and reported. */
import { z } from 'zod';
import { Limits } from './agent.js';
import { BulkId, TaskId } from './ids.js';
import { RetryMode } from './retry-mode.js';
import { Tag } from './tag.js';
import { TaskFilter } from './task-filter.js';
import { readableText } from './text.js';

const tags = z.array(Tag).max(20).default([]);

/** What is done to each task. */
export const BulkVerb = z
  .discriminatedUnion('verb', [
    z.strictObject({ verb: z.literal('cancel'), reason: readableText(1_000).optional() }),
    z.strictObject({ verb: z.literal('pause'), now: z.boolean().default(false) }),
    z.strictObject({ verb: z.literal('resume') }),
    z.strictObject({
      verb: z.literal('retry'),
      mode: RetryMode.default('resume'),
      message: readableText(100_000).optional().describe('An additional message to each agent.'),
      limits: Limits.partial()
        .optional()
        .describe('Limits that should differ from those of the last attempts.'),
    }),
    z.strictObject({ verb: z.literal('archive') }),
    z.strictObject({ verb: z.literal('unarchive') }),
    z.strictObject({ verb: z.literal('tag'), add: tags, remove: tags }),
  ])
  .meta({ id: 'BulkVerb' });
export type BulkVerb = z.infer<typeof BulkVerb>;

/** Which tasks: all that fit a filter, or these. */
const which = {
  filter: TaskFilter.optional().describe('All that fit, not only those that you have seen.'),
  ids: z.array(TaskId).min(1).max(10_000).optional(),
};

/** Body of `POST /v1/bulk-actions` and of its preview. What fits is settled when the action is created. */
export const CreateBulkAction = z
  .strictObject({ action: BulkVerb, ...which })
  .refine((body) => (body.filter === undefined) !== (body.ids === undefined), {
    path: ['filter'],
    message: 'give a filter or ids, one of them',
  })
  .meta({ id: 'CreateBulkAction' });
export type CreateBulkAction = z.infer<typeof CreateBulkAction>;
export type CreateBulkActionInput = z.input<typeof CreateBulkAction>;

/** What a bulk action would do, without doing it. */
export const BulkPreview = z
  .object({
    matched: z.int().describe('Tasks that it would be tried on.'),
    considered: z.int().describe('How many of them were looked at, those that were created first.'),
    able: z.int().describe('How many of those it can be done to.'),
    reasons: z
      .array(z.object({ reason: z.string(), count: z.int() }))
      .describe('Why it cannot be done to the others, the most frequent first; ids are left out.'),
    refused: z.array(z.object({ id: TaskId, reason: z.string() })).describe('The first 20 of them.'),
    byCause: z
      .array(z.object({ cause: z.string(), matched: z.int(), able: z.int() }))
      .describe('By how the tasks ended, or the state that they are in.'),
    costSoFarUsd: z.string().describe('What the trees of those that it can be done to have cost so far.'),
  })
  .meta({ id: 'BulkPreview' });
export type BulkPreview = z.infer<typeof BulkPreview>;

const BulkState = z.enum(['running', 'done', 'stopped']);

export const BulkActionView = z
  .object({
    id: BulkId,
    action: BulkVerb,
    filter: TaskFilter.nullable().describe('Null: the tasks were named.'),
    state: BulkState,
    total: z.int(),
    done: z.int(),
    refused: z.int(),
    left: z.int().describe('Not tried yet; of a stopped one: never tried.'),
    createdBy: z.string().describe('The name of the key.'),
    createdAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BulkAction' });
export type BulkActionView = z.infer<typeof BulkActionView>;

export const BulkActionPage = z
  .object({ data: z.array(BulkActionView), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'BulkActionPage' });
export type BulkActionPage = z.infer<typeof BulkActionPage>;

export const BulkItemState = z.enum(['left', 'done', 'refused']);
export type BulkItemState = z.infer<typeof BulkItemState>;

export const BulkItem = z
  .object({
    taskId: TaskId,
    title: z.string().nullable().describe('Null: the task no longer exists.'),
    state: BulkItemState,
    reason: z.string().nullable().describe('Why it was refused.'),
    newTaskId: TaskId.nullable().describe('The task that was made for it.'),
  })
  .meta({ id: 'BulkItem' });
export type BulkItem = z.infer<typeof BulkItem>;

export const BulkItemPage = z
  .object({ data: z.array(BulkItem), nextCursor: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'BulkItemPage' });
export type BulkItemPage = z.infer<typeof BulkItemPage>;

/** Query of `GET /v1/bulk-actions/{id}/items`. */
export const ListBulkItems = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  after: z.string().max(200).optional(),
  state: BulkItemState.optional(),
});
export type ListBulkItems = z.infer<typeof ListBulkItems>;

/** A task outside of its installation: exported, shown to others through a link, and imported. */
import { z } from 'zod';
import { Briefing } from './briefing.js';
import { TaskEvent } from './event.js';
import { ShareId, TaskId } from './ids.js';
import { CreateAttachment } from './media.js';
import { ApiMessageView } from './message.js';
import { TaskState, TaskView } from './task.js';
import { ToolCallView } from './tool-call.js';
import { UsageTotals } from './usage.js';

export const ExportFormat = z.enum(['markdown', 'json']);
export type ExportFormat = z.infer<typeof ExportFormat>;

/** Query of `GET /v1/tasks/{id}/export`. */
export const ExportQuery = z.strictObject({
  format: ExportFormat.default('markdown'),
  attachments: z
    .enum(['true', 'false'])
    .default('false')
    .describe('In JSON: whether pictures and documents come along. Nothing in them can be masked.'),
});
export type ExportQuery = z.infer<typeof ExportQuery>;

export const ExportedTask = z.object({
  task: TaskView,
  events: z.array(TaskEvent),
  messages: z.array(ApiMessageView).describe('The conversation as the model was sent it.'),
  toolCalls: z.array(ToolCallView),
  // Documents from before there were any lack it.
  briefing: Briefing.nullable()
    .optional()
    .describe('What came with the task, and what its agent was told about the place.'),
});

/** A task and everything below it. Keys, tokens and home folders in it are masked. */
export const TaskExport = z
  .object({
    format: z.literal('bullpen-task'),
    version: z.literal(1),
    exportedAt: z.iso.datetime(),
    rootId: TaskId.describe('The task that was exported.'),
    tasks: z.array(ExportedTask).min(1).max(1_000).describe('Parents before their children.'),
    attachments: z
      .array(CreateAttachment)
      .max(500)
      .optional()
      .describe('The contents that `media` anywhere in the tasks refers to by its digest.'),
  })
  .meta({ id: 'TaskExport' });
export type TaskExport = z.infer<typeof TaskExport>;

/** Body of `POST /v1/tasks/{id}/shares`. */
export const CreateShare = z
  .strictObject({
    days: z.int().min(1).max(365).default(7).describe('How long the link works.'),
  })
  .meta({ id: 'CreateShare' });
export type CreateShare = z.infer<typeof CreateShare>;
export type CreateShareInput = z.input<typeof CreateShare>;

export const ShareView = z
  .object({
    id: ShareId,
    taskId: TaskId,
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    revokedAt: z.iso.datetime().nullable(),
    opened: z.int().describe('How often it was opened.'),
  })
  .meta({ id: 'Share' });
export type ShareView = z.infer<typeof ShareView>;

/** A new share with its link, which is told only once. The token is in the fragment, which browsers never send or log. */
export const NewShare = ShareView.extend({ url: z.string() }).meta({ id: 'NewShare' });
export type NewShare = z.infer<typeof NewShare>;

export const ShareList = z.object({ data: z.array(ShareView) }).meta({ id: 'ShareList' });
export type ShareList = z.infer<typeof ShareList>;

/** Something that readers of a shared or exported task are not shown. */
export const MaskedPlace = z
  .object({
    taskId: TaskId,
    seq: z.int().nullable().describe('The event; null: a field of the task.'),
    field: z.string().describe('Where in it, as a JSON pointer.'),
    kind: z.enum(['registered', 'credential', 'home']),
    around: z.string().describe('The text around the mask.'),
  })
  .meta({ id: 'MaskedPlace' });
export type MaskedPlace = z.infer<typeof MaskedPlace>;

/** What a share would mask: a look at it before it goes out. */
export const SharePreview = z
  .object({
    tasks: z.int(),
    events: z.int(),
    masked: z.int(),
    places: z.array(MaskedPlace).describe('The first 500.'),
  })
  .meta({ id: 'SharePreview' });
export type SharePreview = z.infer<typeof SharePreview>;

/** A task as a reader of a share sees it. */
const SharedTaskView = z
  .object({
    id: TaskId,
    parentId: TaskId.nullable().describe('Null for the task that was shared.'),
    title: z.string(),
    agent: z.string(),
    model: z.string(),
    state: TaskState,
    prompt: z.string(),
    usage: UsageTotals,
    eventSeq: z.int(),
    createdAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'SharedTask' });

/** What a share shows: the tasks, parents before their children. Their events come in pages. */
export const SharedTree = z
  .object({
    rootId: TaskId,
    expiresAt: z.iso.datetime(),
    now: z.iso.datetime(),
    tasks: z.array(SharedTaskView),
  })
  .meta({ id: 'SharedTree' });
export type SharedTree = z.infer<typeof SharedTree>;

/** Query of `GET /v1/shared/events`. */
export const SharedEventsQuery = z.strictObject({
  taskId: TaskId,
  after: z
    .string()
    .regex(/^\d{1,9}$/, 'must be the sequence number of an event')
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(200),
});
export type SharedEventsQuery = z.infer<typeof SharedEventsQuery>;

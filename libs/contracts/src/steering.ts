/** What people say to a working task, and what they take back. */
import { z } from 'zod';
import { Limits } from './agent.js';
import { TaskId } from './ids.js';
import { readableText } from './text.js';

/** Body of `POST /v1/tasks/{id}/interrupt`: what the task does now is cut off, and it goes on with the message. */
export const InterruptTask = z
  .strictObject({
    message: readableText(400_000)
      .optional()
      .describe(
        'What the agent should do instead. Without it, the task and its subtasks are paused; a conversation only stops its answer and waits for the next message.',
      ),
  })
  .meta({ id: 'InterruptTask' });
export type InterruptTask = z.infer<typeof InterruptTask>;

const MessageText = readableText(400_000);

/** How a working task treats a message. */
export const SendStrategy = z.enum(['queue', 'interrupt', 'reject', 'rollback']).meta({ id: 'SendStrategy' });
export type SendStrategy = z.infer<typeof SendStrategy>;

/** Body of `POST /v1/tasks/{id}/messages`. */
export const SendMessage = z
  .strictObject({
    text: MessageText,
    strategy: SendStrategy.default('queue').describe(
      'What happens to the current turn. `queue`: it finishes first. `interrupt`: it is cut off, and the agent is told. ' +
        '`reject`: the message is refused with `task_busy`. `rollback`: the turn is dropped from the conversation.',
    ),
    limits: Limits.partial()
      .optional()
      .describe('Only for a task that has ended: limits that should differ when it goes on.'),
  })
  .meta({ id: 'SendMessage' });
export type SendMessage = z.infer<typeof SendMessage>;
export type SendMessageInput = z.input<typeof SendMessage>;

/** Body of `PATCH /v1/tasks/{id}/messages/{messageId}`. */
export const EditMessage = z.strictObject({ text: MessageText }).meta({ id: 'EditMessage' });
export type EditMessage = z.infer<typeof EditMessage>;

/** Body of `POST /v1/tasks/{id}/rewind`: the newest exchanges, the newest answers, or everything from a message on. */
export const RewindTask = z
  .union([
    z.strictObject({
      turns: z.int().min(1).max(10_000).describe('How many exchanges, counted from the newest, are dropped.'),
    }),
    z.strictObject({
      answers: z
        .int()
        .min(1)
        .max(10_000)
        .describe('How many answers of the agent, counted from the newest, are dropped with their results.'),
    }),
    z.strictObject({
      messageId: z
        .string()
        .regex(/^(?:msg|inbox)_[0-9a-hjkmnp-tv-z]{26}$/, 'must be an id that starts with msg_ or inbox_')
        .describe("The user's message that is dropped with all that came after it."),
    }),
  ])
  .meta({ id: 'RewindTask' });
export type RewindTask = z.infer<typeof RewindTask>;

/** What a rewind did: the exchanges and messages that are no longer part of the conversation. */
export const RewindReport = z
  .object({
    taskId: TaskId,
    exchanges: z.int(),
    messages: z.int(),
    text: z
      .string()
      .describe(
        "The user's message that began the first of the dropped exchanges; empty when none was dropped.",
      ),
  })
  .meta({ id: 'RewindReport' });
export type RewindReport = z.infer<typeof RewindReport>;

export const InboxMessageView = z
  .object({
    id: z.string(),
    taskId: TaskId,
    text: z.string(),
    createdAt: z.iso.datetime(),
    editedAt: z.iso.datetime().nullable(),
    withdrawnAt: z.iso.datetime().nullable(),
    deliveredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'InboxMessage' });
export type InboxMessageView = z.infer<typeof InboxMessageView>;

/** Body of `POST /v1/tasks/{id}/cancel`. */
export const CancelTask = z
  .strictObject({ reason: z.string().min(1).max(1_000).optional() })
  .meta({ id: 'CancelTask' });
export type CancelTask = z.infer<typeof CancelTask>;

/** Body of `POST /v1/tasks/{id}/pause`. */
export const PauseTask = z
  .strictObject({
    now: z
      .boolean()
      .default(false)
      .describe('Cut off the running model call or tool instead of letting it finish.'),
  })
  .meta({ id: 'PauseTask' });
export type PauseTask = z.infer<typeof PauseTask>;

/** Body of `POST /v1/tasks/{id}/resume`. */
export const ResumeTask = z.strictObject({}).meta({ id: 'ResumeTask' });
export type ResumeTask = z.infer<typeof ResumeTask>;

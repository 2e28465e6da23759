/**
 * What a message says: which task, what happened to it, and where to read more. Never a prompt, a transcript or an answer of a
 * person; of a task's output and of its error the first 500 characters, which a chat message or a mail can show.
 */
import { TaskState, WaitReason, type WebhookEventType } from '@bullpen/contracts';
import { z } from 'zod';

/** An event that may be sent, as it is stored. */
export interface SourceEvent {
  readonly taskId: string;
  readonly seq: number;
  readonly at: Date;
  readonly type: string;
  readonly data: unknown;
}

/** The task of an event, as it is now. */
export interface EventTask {
  readonly id: string;
  readonly rootId: string;
  readonly parentId: string | null;
  readonly title: string;
  readonly agent: string;
  readonly state: string;
  /** The first characters of the output. */
  readonly preview: string | null;
  readonly costUsd: string;
}

/** Characters of an output, an error or a title that a message holds at most. */
export const PREVIEW_CHARS = 500;

const Text = z.string().transform((text) => [...text].slice(0, PREVIEW_CHARS).join(''));

const StatusChange = z.object({
  to: TaskState,
  reason: WaitReason.nullish(),
  cause: z.string().nullish(),
  failure: z.object({ code: Text.optional(), message: Text.optional() }).nullish(),
});

/** Fields that are sent; an answer's text is not among them. */
const Interaction = z.object({
  interactionId: Text.optional(),
  kind: Text.optional(),
  callId: Text.nullish(),
  title: Text.nullish(),
  expiresInMs: z.number().nullish(),
  state: Text.nullish(),
  by: Text.nullish(),
});

/** What a task that comes into a state is told as; null: not at all. */
const TOLD_AS: Readonly<Record<TaskState, WebhookEventType | null>> = {
  queued: null,
  running: null,
  waiting: 'task.waiting',
  paused: null,
  completed: 'task.completed',
  failed: 'task.failed',
  cancelled: 'task.cancelled',
};

/** Whether a person ends a wait: only then is it told. */
const FOR_PERSON: Readonly<Record<WaitReason, boolean>> = {
  children: false,
  approval: true,
  answer: true,
  message: true,
  backoff: false,
  budget: true,
  provider: false,
};

/** What endpoints get for an event; null: nothing. */
export function webhookTypeOf({ type, data }: Pick<SourceEvent, 'type' | 'data'>): WebhookEventType | null {
  if (type === 'interaction.opened' || type === 'interaction.closed') return type;
  const change = StatusChange.safeParse(data).data;
  if (type !== 'task.status_changed' || !change) return null;
  const { to, reason } = change;
  return to === 'waiting' && !(reason && FOR_PERSON[reason]) ? null : TOLD_AS[to];
}

/** The body of a message about an event. */
export function payloadOf(type: WebhookEventType, event: SourceEvent, task: EventTask): string {
  const about = {
    taskId: task.id,
    rootId: task.rootId,
    parentId: task.parentId,
    title: Text.parse(task.title),
    agent: task.agent,
    seq: event.seq,
    path: `/v1/tasks/${task.id}`,
  };
  const details = type.startsWith('interaction.') ? Interaction.parse(event.data) : changeOf(event, task);
  return JSON.stringify({ type, timestamp: event.at.toISOString(), data: { ...about, ...details } });
}

/** The body of a message that only proves that messages arrive. */
export function pingPayload(webhookId: string, at: Date): string {
  return JSON.stringify({ type: 'ping', timestamp: at.toISOString(), data: { webhookId } });
}

function changeOf(event: SourceEvent, task: EventTask): Record<string, unknown> {
  const { to, reason, cause, failure } = StatusChange.parse(event.data);
  // A task that has moved on since (another attempt, say) has another output, or none.
  const still = task.state === to;
  return {
    state: to,
    reason: reason ?? null,
    cause: cause ?? null,
    ...(failure && { failure }),
    ...(to !== 'waiting' && still && { costUsd: task.costUsd }),
    ...(to === 'completed' && still && { outputPreview: task.preview }),
    ...(to === 'failed' && still && task.preview !== null && { outputPreview: task.preview, partial: true }),
  };
}

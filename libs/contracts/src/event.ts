/**
 * The UI history: what people saw, as durable events with a gapless sequence number per task, and the deltas that are only
 * live. One union for the store, the stream, the CLI and every other reader.
 */
import { z } from 'zod';
import { Autonomy } from './autonomy.js';
import { ContextSize } from './context.js';
import { CheckpointReason, RestoreScope } from './checkpoint.js';
import { InteractionKind } from './interaction.js';
import type { Wake } from './job.js';
import { Media } from './media.js';
import { Json } from './json.js';
import { Sandbox } from './sandbox.js';
import { StopCause, TaskFailure, TaskState, TodoItem, WaitReason } from './task.js';
import { TokenUsage } from './usage.js';
import { SetupState } from './workspace.js';

/** What a reduction brought, in tokens of the whole request: measured, not assumed. */
const SIZES = { tokensBefore: z.int(), tokensAfter: z.int() };

const event = <T extends string, S extends z.ZodRawShape>(type: T, data: S) =>
  z.object({ type: z.literal(type), data: z.object(data) });

export const DurableEventBody = z.discriminatedUnion('type', [
  event('task.created', {
    title: z.string(),
    agent: z.string(),
    model: z.string(),
    parentId: z.string().nullable(),
    depth: z.int(),
    prompt: z.string(),
  }),
  event('task.status_changed', {
    from: TaskState,
    to: TaskState,
    reason: WaitReason.nullable().optional(),
    cause: StopCause.nullable().optional(),
    failure: TaskFailure.nullable().optional(),
    note: z.string().optional(),
  }),
  event('task.cancel_requested', { reason: z.string().nullable() }),
  event('task.pause_requested', { now: z.boolean() }),
  event('task.interrupted', { reason: z.enum(['user', 'deadline']) }),
  event('task.updated', { changes: z.record(z.string(), Json.nullable()) }),
  /** The workspace is a copy or a clone that lacks something of its source; `leftOut` has the first of it. */
  event('workspace.incomplete', {
    total: z.int(),
    leftOut: z.array(
      z.object({
        path: z.string(),
        why: z.enum(['gone', 'socket', 'pipe', 'device', 'submodule', 'lfs']),
      }),
    ),
  }),
  /** The workspace is a clone, and what it began with; `commit` is null for a repository without commits. */
  event('workspace.cloned', {
    url: z.string(),
    branch: z.string().nullable(),
    commit: z.string().nullable(),
  }),
  /** The task works in a folder itself, not on a copy; `others` are tasks that do so at the same time. */
  event('workspace.in_place', { path: z.string(), others: z.array(z.string()) }),
  /** The state of the workspace is stored. */
  event('checkpoint.taken', {
    checkpointId: z.string(),
    reason: CheckpointReason,
    turn: z.int(),
    note: z.string().nullable(),
    files: z.int().describe('So many differ from the checkpoint before.'),
    insertions: z.int(),
    deletions: z.int(),
  }),
  /** The state of the workspace could not be stored: it is only where it is. The task goes on. */
  event('checkpoint.failed', { reason: z.string(), message: z.string() }),
  /** The files of the work were made anew, on another machine or after a loss, as they were at a checkpoint. */
  event('workspace.rebuilt', {
    checkpointId: z.string().nullable().describe('Null: as the work began.'),
    turn: z.int(),
    lostCalls: z.array(z.string()).describe('Calls after it, whose effects on files are gone.'),
  }),
  /** The setup command of the workspace starts; what it puts out comes live as that of a call with this id. */
  event('workspace.setup_started', {
    callId: z.string(),
    command: z.string(),
    sandbox: Sandbox.optional().describe('What holds it.'),
  }),
  event('workspace.setup_finished', {
    callId: z.string(),
    command: z.string(),
    state: SetupState,
    durationMs: z.int(),
    output: z.string().describe('How it ended and the end of what it put out, or why it did not run.'),
  }),
  /** A new task began from a checkpoint of this one. */
  event('task.forked', { taskId: z.string(), checkpointId: z.string().nullable() }),
  /** This task began from a checkpoint of another one; what came along of the conversation is before this. */
  event('task.forked_from', {
    taskId: z.string(),
    checkpointId: z.string().nullable().describe('Null: of an imported task, without files.'),
    messages: z.int().describe('So many messages of the conversation came along.'),
  }),
  /** What is before this happened elsewhere, and was imported. */
  event('task.imported', { from: z.string(), exportedAt: z.iso.datetime(), by: z.string() }),
  /** Somebody wants the files back as they were at a checkpoint: no run begins before that is done. */
  event('workspace.restore_requested', { checkpointId: z.string(), what: RestoreScope, by: z.string() }),
  /** The files are what a checkpoint holds, or as much of that as could be brought back. */
  event('workspace.restored', {
    checkpointId: z.string(),
    what: RestoreScope,
    before: z.string().nullable().describe('The checkpoint of the state before.'),
    after: z.string().nullable(),
    files: z.int().describe('So many were changed.'),
    insertions: z.int(),
    deletions: z.int(),
    kept: z.int().describe('So many differ from the checkpoint and stay.'),
    conflicts: z.int(),
  }),
  /** They could not be brought back; with `before`, some may have been, and that checkpoint has the others. */
  event('workspace.restore_failed', {
    checkpointId: z.string(),
    before: z.string().nullable(),
    message: z.string(),
  }),
  event('attempt.started', { attempt: z.int(), epoch: z.int(), workerId: z.string() }),
  /** The worker has not renewed its lease and counts as lost; the task goes on with another one, from the last stored step. */
  event('worker.lost', { workerId: z.string() }),
  /**
   * The task goes on after a run that broke off. What that run had started: calls that are repeated and calls that are not (the
   * agent is told), both by tool name; and model calls that are made again.
   */
  event('task.taken_over', {
    from: z.string(),
    to: z.string(),
    repeated: z.array(z.string()),
    cutOff: z.array(z.string()),
    modelCalls: z.int(),
  }),
  event('attempt.ended', {
    attempt: z.int(),
    outcome: z.string(),
    failure: TaskFailure.nullable().optional(),
    nextAttemptInMs: z.int().optional(),
  }),
  event('message.user', {
    messageId: z.string(),
    text: z.string(),
    source: z.enum(['prompt', 'steering', 'harness']),
    /** The message of the inbox that this is, from now on delivered. */
    inboxId: z.string().optional(),
  }),
  /** A message waits in the task's inbox; until it is delivered (`message.user` with its `inboxId`) it can be changed. */
  event('message.queued', { inboxId: z.string(), text: z.string() }),
  event('message.edited', { inboxId: z.string(), text: z.string() }),
  event('message.withdrawn', { inboxId: z.string() }),
  /** These messages are no longer part of the conversation; what their calls did stays done. */
  event('history.rewound', {
    reason: z.enum(['rewind', 'rollback', 'restore']),
    messageIds: z.array(z.string()),
  }),
  /** Older outputs are sent to the model as one line each from now on. Sizes are tokens of the conversation. */
  event('context.masked', { messageId: z.string(), outputs: z.int(), ...SIZES }),
  /** The model is sent a summary in place of these messages from now on. */
  event('context.condensed', {
    messageId: z.string(),
    modelCallId: z.string(),
    messages: z.int(),
    ...SIZES,
    costUsd: z.string().nullable().describe('What the summary cost; null: the model has no known price.'),
    text: z.string().describe('The first 20,000 characters of the summary.'),
  }),
  /** The model is not sent these messages any more; `forced`: because the provider had refused the whole as too long. */
  event('context.truncated', { messageId: z.string(), messages: z.int(), ...SIZES, forced: z.boolean() }),
  /** A summary was written, paid for and not used; something else is done instead. */
  event('context.summary_refused', {
    modelCallId: z.string(),
    reason: z.string(),
    costUsd: z.string().nullable(),
  }),
  event('message.agent', {
    messageId: z.string(),
    turn: z.int(),
    text: z.string(),
    reasoning: z.string().optional(),
  }),
  event('tool.started', {
    callId: z.string(),
    tool: z.string(),
    turn: z.int(),
    arguments: Json.nullable(),
    sandbox: Sandbox.optional().describe('What holds the program that it starts.'),
  }),
  event('tool.finished', {
    callId: z.string(),
    tool: z.string(),
    turn: z.int(),
    state: z.enum(['done', 'errored', 'canceled']),
    durationMs: z.int(),
    preview: z.string(),
    media: z.array(Media).optional().describe('Pictures and documents of the output.'),
  }),
  event('todo.updated', { todos: z.array(TodoItem) }),
  event('usage.recorded', {
    modelCallId: z.string(),
    model: z.string(),
    usage: TokenUsage,
    costUsd: z.string().nullable(),
    context: ContextSize.optional().describe('How full the window is with this answer.'),
  }),
  /** The window has filled up to this part of its budget. Each is told once, until it has emptied below and fills again. */
  event('context.warning', { percent: z.union([z.literal(80), z.literal(100)]), context: ContextSize }),
  /** The provider's endpoint for counting leaves out part of a request. It is not asked any more; windows are estimated instead. */
  event('context.count_doubted', { profile: z.string(), counted: z.int(), billed: z.int() }),
  event('budget.warning', { limitUsd: z.string(), spentUsd: z.string() }),
  event('subtask.spawned', { taskId: z.string(), title: z.string(), agent: z.string() }),
  event('subtask.ended', {
    taskId: z.string(),
    title: z.string(),
    state: TaskState,
    cause: StopCause.nullable(),
  }),
  event('retry.scheduled', {
    modelCallId: z.string(),
    errorClass: z.string(),
    message: z.string(),
    attempt: z.int(),
    delayMs: z.int(),
  }),
  /** The provider's key is paused or refused: the task waits, until `delayMs` have passed or somebody has fixed it. */
  event('provider.waiting', { errorClass: z.string(), message: z.string(), delayMs: z.int().nullable() }),
  /** Something waits for a person. */
  event('interaction.opened', {
    interactionId: z.string(),
    kind: InteractionKind,
    callId: z.string().nullable(),
    title: z.string(),
    expiresInMs: z.int().nullable(),
  }),
  event('interaction.closed', {
    interactionId: z.string(),
    kind: InteractionKind,
    state: z.enum(['answered', 'expired', 'withdrawn']),
    by: z.string().nullable(),
    answer: z.record(z.string(), Json).nullable(),
  }),
  event('autonomy.switched', { from: Autonomy, to: Autonomy, by: z.enum(['user', 'agent', 'plan']) }),
  /** The task has gone into another work mode. */
  event('mode.changed', {
    seq: z.int(),
    from: z.string(),
    to: z.string(),
    trigger: z.string(),
    source: z.enum(['agent', 'person', 'intent', 'harness']),
    by: z.string().nullable(),
    reason: z.string().nullable(),
  }),
  /** A trigger led nowhere: the mode stays. */
  event('mode.refused', {
    seq: z.int(),
    mode: z.string(),
    trigger: z.string(),
    source: z.enum(['agent', 'person', 'intent', 'harness']),
    by: z.string().nullable(),
    refusal: z.string(),
    possible: z.array(z.string()),
  }),
  event('profile.switched', {
    from: z.string(),
    to: z.string(),
    by: z.enum(['fallback', 'return']),
    reason: z.string().describe('The class of the error that the first one failed with.'),
  }),
  event('profile.skipped', { profile: z.string(), reason: z.string() }),
  event('limit.reached', { cause: StopCause, message: z.string() }),
  event('error', { code: z.string(), message: z.string() }),
]);
export type DurableEventBody = z.infer<typeof DurableEventBody>;
/** A durable event with its place. `cursor` orders the events of many tasks: streams of a tree resume from it. */
export type TaskEvent = DurableEventBody & {
  taskId: string;
  rootId: string;
  seq: number;
  cursor: string;
  at: string;
  imported?: true | undefined;
};
export const TaskEvent = z.intersection(
  DurableEventBody,
  z.object({
    taskId: z.string(),
    rootId: z.string(),
    seq: z.int(),
    cursor: z.string(),
    at: z.iso.datetime(),
    imported: z.literal(true).optional().describe('It happened elsewhere, and was imported.'),
  }),
) as unknown as z.ZodType<TaskEvent>;

export const EventPage = z
  .object({ data: z.array(TaskEvent), nextAfter: z.string().nullable(), hasMore: z.boolean() })
  .meta({ id: 'EventPage' });
export type EventPage = z.infer<typeof EventPage>;

/** Live only, never stored. `offset` is the length of the text before this piece, so that a reader can tell a gap. */
export const DeltaEvent = z.discriminatedUnion('type', [
  event('message.delta', { messageId: z.string(), offset: z.int(), text: z.string() }),
  event('reasoning.delta', { messageId: z.string(), offset: z.int(), text: z.string() }),
  event('tool.generating', {
    messageId: z.string(),
    toolUseId: z.string(),
    tool: z.string(),
    offset: z.int(),
    json: z.string(),
  }),
  event('tool.output_delta', { callId: z.string(), offset: z.int(), text: z.string() }),
]);
export type DeltaEvent = z.infer<typeof DeltaEvent>;
export type LiveDelta = DeltaEvent & { taskId: string; rootId: string; afterSeq: number };

/** What the live bus carries: a nudge that rows up to `seq` exist, or a delta. Losing it loses nothing that is stored. */
export type BusMessage =
  | { kind: 'rows'; tenantId: string; rootId: string; taskId: string; seq: number }
  | { kind: 'delta'; tenantId: string; delta: LiveDelta }
  | { kind: 'cancel'; tenantId: string; rootId: string }
  /** Somebody wants something of a process: its worker looks at the row. */
  | { kind: 'process'; tenantId: string; processId: string }
  /** Somebody wants files back: a worker that has them looks at the rows. */
  | { kind: 'restore'; tenantId: string; restoreId: string }
  /** The state of a provider key has changed: its workers look at the row. */
  | { kind: 'provider'; key: string }
  /** Somebody changed whether a worker may take work: it looks at its row. */
  | { kind: 'worker'; workerId: string };

/**
 * What has to be announced after a commit: wakes for the queue, nudges for the live bus. Losing it loses nothing: the reconciler and
 * the watchers look again.
 */
export interface CommitEffects {
  readonly wakes: readonly Wake[];
  /** Tasks that have new event rows, with the newest sequence number. */
  readonly rows: readonly Omit<Extract<BusMessage, { kind: 'rows' }>, 'kind'>[];
  /** Trees of tasks that are to leave at once what they do. */
  readonly cancels: readonly Omit<Extract<BusMessage, { kind: 'cancel' }>, 'kind'>[];
}

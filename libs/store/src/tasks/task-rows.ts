/** Converts between rows and the executor's values. */
import {
  AgentDefinition,
  ModelRoute,
  ANSWER_OF,
  AppError,
  ApprovalDecision,
  Autonomy,
  Briefing,
  ContentBlock,
  ContextItem,
  ContextSize,
  Diffstat,
  errorText,
  InteractionKind,
  Media,
  nanoUsdOf,
  PolicyLayer,
  Reduction,
  StopCause,
  TaskFailure,
  TaskState,
  TodoItem,
  TaskWorkspace,
  type InteractionAnswer,
  type Json,
} from '@bullpen/contracts';
import {
  ModeContext,
  type ChildOutcome,
  type InteractionRecord,
  type ModelCallRecord,
  type PolicyLayers,
  type Step,
  type StoredMessage,
  type TaskRecord,
  type TaskSnapshot,
  type ToolCallRecord,
} from '@bullpen/core';
import { z } from 'zod';
import { transitionOf } from './transitions.js';
import { columnOf, JsonObject } from '../database/json-column.js';

// Made once: making a schema costs many times more than using it, and a long history has thousands of rows.
const Role = z.enum(['user', 'assistant']);
const Content = z.array(ContentBlock);
const Context = ContextSize.nullable();
const Todos = z.array(TodoItem);
const Items = z.array(ContextItem);
const Told = Briefing.nullable();
const MediaColumn = z.array(Media).nullable();
const Approval = ApprovalDecision.nullable();
const Cause = StopCause.nullable();
const Failure = TaskFailure.nullable();
const Changes = Diffstat.nullable();
const ReductionColumn = Reduction.nullable();
const ModeContextColumn = ModeContext.nullable();
const PhaseColumn = z.enum(['work', 'extract', 'grace']);
const CallPhaseColumn = z.enum([...PhaseColumn.options, 'condense', 'intent']);
const ToolCallState = z.enum(['generated', 'calling', 'done', 'canceled', 'errored']);
const ModelCallState = z.enum(['started', 'done', 'failed', 'abandoned']);

/** A row as `row_to_json` gives it. */
export type JsonRow = Record<string, unknown>;

/** The row that `load-task.sql` gives. */
export interface LoadedRow {
  readonly task: JsonRow;
  messages: JsonRow[];
  /** Numbers of the messages that are no longer part of the conversation. */
  dropped: number[];
  tool_calls: JsonRow[];
  model_calls: JsonRow[];
  context: Json | null;
  interactions: JsonRow[];
  layers: JsonRow | null;
  transitions: JsonRow[];
}

/**
 * The snapshot of a run from the row that `load-task.sql` gives.
 * @throws AppError `history_corrupt` when a stored value is not what was written; the rows are left as they are.
 */
export function snapshotOf(row: LoadedRow): TaskSnapshot {
  const id = String(row.task['id']);
  try {
    const messages = row.messages.map(messageOf);
    const messageSeq = number(row.task, 'message_seq');
    const stored = new Set([...messages.map(({ seq }) => seq), ...row.dropped]);
    for (let seq = 1; seq <= messageSeq; seq += 1)
      if (!stored.has(seq)) throw new RangeError(`message ${seq} is missing`);
    return {
      task: taskOf(row.task),
      messages,
      messageSeq,
      toolCalls: row.tool_calls.map(toolCallOf),
      modelCalls: row.model_calls.map(modelCallOf),
      context: columnOf(Context, row.context, { table: 'model_calls', id, column: 'context' }),
      interactions: row.interactions.map(interactionOf),
      layers: layersOf(row.layers),
      transitions: row.transitions.map(transitionOf),
    };
  } catch (error) {
    throw new AppError('history_corrupt', `The stored history of ${id} cannot be read: ${errorText(error)}`, {
      cause: error,
    });
  }
}

function taskOf(row: JsonRow): TaskRecord {
  const id = text(row, 'id');
  const column = <T>(schema: z.ZodType<T>, name: string) =>
    columnOf(schema, row[name], { table: 'tasks', id, column: name });
  const definition = column(AgentDefinition, 'definition');
  return {
    id,
    tenantId: text(row, 'tenant_id'),
    parentId: optionalText(row, 'parent_id'),
    rootId: text(row, 'root_id'),
    depth: number(row, 'depth'),
    title: text(row, 'title'),
    definition,
    autonomy: Autonomy.parse(row['autonomy'] ?? definition.autonomy),
    mode: optionalText(row, 'mode'),
    modeContext: column(ModeContextColumn, 'mode_context'),
    route: column(ModelRoute.nullable(), 'route'),
    prompt: text(row, 'prompt'),
    input: (row['input'] ?? null) as Json | null,
    workspace: column(TaskWorkspace, 'workspace'),
    contextItems: column(Items, 'context_items'),
    briefing: column(Told, 'briefing'),
    attempt: number(row, 'attempt'),
    phase: PhaseColumn.parse(row['phase']),
    pendingCause: column(Cause, 'pending_cause'),
    turns: number(row, 'turns'),
    repairs: number(row, 'repairs'),
    mistakes: number(row, 'mistakes'),
    childCount: number(row, 'child_count'),
    activeMs: number(row, 'active_ms'),
    usage: usageOf(row),
    costNanoUsd: BigInt(number(row, 'cost_nano_usd')),
    todos: column(Todos, 'todos'),
    inboxPending: number(row, 'inbox_pending'),
    cancelRequested: row['cancel_requested_at'] !== null,
    pauseRequested: row['pause_requested_at'] !== null,
    interrupted: row['interrupted_at'] !== null,
    rollback: row['rollback_requested'] === true,
    deadlineAt: date(row, 'deadline_at'),
    retries: number(row, 'retries'),
    workspacePath: optionalText(row, 'workspace_path'),
    workspaceId: optionalText(row, 'workspace_id') ?? text(row, 'root_id'),
    workspaceEpoch: optionalNumber(row, 'workspace_epoch'),
    sandbox: optionalText(row, 'sandbox'),
    leftBy: optionalText(row, 'left_by'),
    crashes: number(row, 'crashes'),
    createdAt: date(row, 'created_at') ?? new Date(0),
  };
}

/** Layers by scope. An unreadable layer must not count as an empty one: it could have been a lock. */
export function layersOf(row: JsonRow | null): PolicyLayers {
  return Object.fromEntries(
    Object.entries(row ?? {}).map(([scope, layer]) => [scope, PolicyLayer.parse(layer)]),
  );
}

/** An interaction as `current-interactions.sql` or `load-task.sql` gives it. */
export function interactionOf(row: JsonRow): InteractionRecord {
  const id = text(row, 'id');
  const kind = InteractionKind.parse(row['kind']);
  const column = <T>(schema: z.ZodType<T>, name: string) =>
    columnOf(schema, row[name] ?? null, { table: 'interactions', id, column: name });
  return {
    id,
    kind,
    callId: optionalText(row, 'tool_call_id'),
    hash: optionalText(row, 'arguments_hash') ?? '',
    payload: column(JsonObject, 'payload'),
    answer: column<InteractionAnswer | null>(ANSWER_OF[kind].nullable(), 'answer'),
    answeredBy: optionalText(row, 'answered_by'),
  };
}

function messageOf(row: JsonRow): StoredMessage {
  const id = text(row, 'id');
  const place = { table: 'api_messages', id };
  const reduction = columnOf(ReductionColumn, row['reduction'] ?? null, { ...place, column: 'reduction' });
  return {
    ...(reduction && { reduction }),
    id,
    seq: number(row, 'seq'),
    turn: number(row, 'turn'),
    role: Role.parse(row['role']),
    content: columnOf(Content, row['content'], { ...place, column: 'content' }),
    stopReason: optionalText(row, 'stopReason'),
    contextTokens: optionalNumber(row, 'contextTokens') ?? undefined,
  };
}

function toolCallOf(row: JsonRow): ToolCallRecord {
  const id = text(row, 'id');
  return {
    id,
    messageId: text(row, 'message_id'),
    turn: number(row, 'turn'),
    position: number(row, 'position'),
    toolUseId: text(row, 'tool_use_id'),
    tool: text(row, 'tool'),
    status: ToolCallState.parse(row['status']),
    rawArguments: text(row, 'raw_arguments'),
    arguments: (row['arguments'] ?? null) as Json | null,
    approval: columnOf(Approval, row['approval'] ?? null, { table: 'tool_calls', id, column: 'approval' }),
    output: optionalText(row, 'output'),
    fullOutput: optionalText(row, 'full_output'),
    media: columnOf(MediaColumn, row['media'] ?? null, { table: 'tool_calls', id, column: 'media' }),
    isError: row['is_error'] === true,
    childTaskId: optionalText(row, 'child_task_id'),
    startedAt: date(row, 'started_at'),
    endedAt: date(row, 'ended_at'),
    completesTask: row['completes_task'] === true,
    startedEpoch: row['started_epoch'] === null ? null : number(row, 'started_epoch'),
    sandbox: optionalText(row, 'sandbox'),
  };
}

function modelCallOf(row: JsonRow): ModelCallRecord {
  return {
    id: text(row, 'id'),
    turn: number(row, 'turn'),
    attempt: number(row, 'attempt'),
    taskAttempt: number(row, 'task_attempt'),
    phase: CallPhaseColumn.parse(row['phase']),
    profile: text(row, 'profile'),
    model: text(row, 'model'),
    status: ModelCallState.parse(row['status']),
    requestHash: text(row, 'request_hash'),
    requestMessages: number(row, 'request_messages'),
    context: columnOf(Context, row['context'] ?? null, {
      table: 'model_calls',
      id: text(row, 'id'),
      column: 'context',
    }),
    firstByteMs: optionalNumber(row, 'first_byte_ms'),
    firstTextMs: optionalNumber(row, 'first_text_ms'),
    reservedNanoUsd: BigInt(number(row, 'reserved_nano_usd')),
    providerRequestId: optionalText(row, 'provider_request_id'),
    stopReason: optionalText(row, 'stop_reason'),
    errorClass: optionalText(row, 'error_class'),
    errorMessage: optionalText(row, 'error_message'),
    retryDelayMs: optionalNumber(row, 'retry_delay_ms'),
    startedAt: date(row, 'started_at') ?? new Date(0),
    endedAt: date(row, 'ended_at'),
  };
}

/** The outcome of a child from the row that `children.sql` gives. */
export function childOutcomeOf(row: JsonRow): ChildOutcome {
  const id = text(row, 'id');
  return {
    taskId: id,
    title: text(row, 'title'),
    state: TaskState.parse(row['state']),
    cause: Cause.parse(row['stop_cause']),
    failure: columnOf(Failure, row['failure'] ?? null, { table: 'tasks', id, column: 'failure' }),
    output: (row['output'] ?? null) as Json | null,
    partial: row['partial'] === true,
    usage: usageOf(row),
    costNanoUsd: BigInt(number(row, 'cost_nano_usd')),
    changes: columnOf(Changes, row['changes'] ?? null, { table: 'checkpoints', id, column: 'changes' }),
    unsaved: row['unsaved'] === true,
  };
}

/** The columns of a usage row from a step. */
export function usageRow(use: Step['usage'][number]) {
  const { usage, price, costNanoUsd, ...rest } = use;
  return {
    ...rest,
    ...usage,
    costNanoUsd: costNanoUsd === null ? null : costNanoUsd.toString(),
    price: price && Object.fromEntries(Object.entries(price).map(([name, nano]) => [name, String(nano)])),
  };
}

/** The columns of a model call from a step. */
export function modelCallRow(call: ModelCallRecord) {
  return { ...call, reservedNanoUsd: call.reservedNanoUsd.toString() };
}

/** Nano-dollars of a limit, as text; null for none. */
export function limitOf(definition: AgentDefinition): string | null {
  return definition.limits.costUsd === null ? null : nanoUsdOf(definition.limits.costUsd).toString();
}

function usageOf(row: JsonRow) {
  return {
    inputTokens: number(row, 'input_tokens'),
    outputTokens: number(row, 'output_tokens'),
    cacheReadTokens: number(row, 'cache_read_tokens'),
    cacheWrite5mTokens: number(row, 'cache_write_5m_tokens'),
    cacheWrite1hTokens: number(row, 'cache_write_1h_tokens'),
  };
}

function text(row: JsonRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`${column} is not a text`);
  return value;
}

function optionalText(row: JsonRow, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : text(row, column);
}

/** Whole numbers come as JSON numbers, or as bigint from a column of that type. */
function number(row: JsonRow, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value)) throw new TypeError(`${column} is not a whole number`);
  return value;
}

function optionalNumber(row: JsonRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : number(row, column);
}

function date(row: JsonRow, column: string): Date | null {
  const value = row[column];
  return typeof value === 'string' ? new Date(value) : value instanceof Date ? value : null;
}

/**
 * What happened in one task: attempts, calls, messages. The callers have checked that the task is the tenant's; the queries
 * ask again, so that no caller can forget it.
 */
import {
  ApprovalDecision,
  Briefing,
  ContentBlock,
  Media,
  ContextSize,
  Reduction,
  TaskFailure,
  usdOf,
  type ApiMessagePage,
  type ApiMessageView,
  type AttemptView,
  type InboxMessagePage,
  type InboxMessageView,
  type Json,
  type ModelCallPage,
  type ModelCallBodies,
  type ModelCallView,
  type PageQuery,
  type TaskBriefing,
  type ToolCallPage,
  type ToolCallView,
  type TokenUsage,
  type ToolOutput,
} from '@bullpen/contracts';
import { z } from 'zod';
import type {
  ApiMessage,
  Attempt,
  InboxMessage,
  ModelCall,
  Prisma,
  PrismaClient,
  ToolCall,
  UsageRecord,
} from '../generated/client.js';
import { columnOf } from '../database/json-column.js';
import { badCursor, decodeCursor, encodeCursor, filterFingerprint, toPage } from './page-cursor.js';

const Failure = TaskFailure.nullable();
const Approval = ApprovalDecision.nullable();
const Told = Briefing.nullable();
const Content = z.array(ContentBlock);
const MediaColumn = z.array(Media);
const Context = ContextSize.nullable();
const Reduced = Reduction.nullable();

/** A task of a tenant. */
export interface TaskRef {
  readonly tenantId: string;
  readonly taskId: string;
}

const scopeOf = ({ tenantId, taskId }: TaskRef) => ({ taskId, task: { tenantId } });

/** Attempts, oldest first. */
export async function listAttempts(prisma: PrismaClient, task: TaskRef): Promise<AttemptView[]> {
  const rows = await prisma.attempt.findMany({ where: scopeOf(task), orderBy: { number: 'asc' } });
  return rows.map(attemptViewOf);
}

/** Tool calls in the order in which the model asked for them. `output` is what the model was sent. */
export async function listToolCalls(
  prisma: PrismaClient,
  task: TaskRef,
  query: PageQuery,
): Promise<ToolCallPage> {
  const fingerprint = filterFingerprint({ list: 'tool-calls', taskId: task.taskId });
  const [turn, position] = numbersOf(fingerprint, query.after, 2);
  const rows = await prisma.toolCall.findMany({
    where: {
      ...scopeOf(task),
      ...(turn !== undefined && { OR: [{ turn: { gt: turn } }, { turn, position: { gt: position ?? 0 } }] }),
    },
    orderBy: [{ turn: 'asc' }, { position: 'asc' }],
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, toolCallViewOf, (row) =>
    encodeCursor(fingerprint, [row.turn, row.position]),
  );
}

/** The whole output of a call; null when the task has no such call, or the call has no output yet. */
export async function getToolOutput(
  prisma: PrismaClient,
  task: TaskRef,
  callId: string,
): Promise<ToolOutput | null> {
  const row = await prisma.toolCall.findFirst({
    where: { ...scopeOf(task), id: callId },
    select: { output: true, fullOutput: true },
  });
  const output = row?.fullOutput ?? row?.output ?? null;
  return output === null ? null : { callId, output };
}

/** What a model call sent and got; null when the task has no such call, or it was not kept. */
export async function getModelCallBodies(
  prisma: PrismaClient,
  task: TaskRef,
  modelCallId: string,
): Promise<ModelCallBodies | null> {
  const row = await prisma.modelCallBodies.findFirst({ where: { modelCallId, call: scopeOf(task) } });
  if (row === null) return null;
  const { request, requestBytes, response, responseBytes, keptAt } = row;
  return {
    modelCallId,
    request: { bytes: requestBytes, text: request },
    response: { bytes: responseBytes, text: response },
    keptAt: keptAt.toISOString(),
  };
}

/** What the agent was told about the place that it works in. */
export async function getBriefing(
  prisma: PrismaClient,
  { tenantId, taskId }: TaskRef,
): Promise<TaskBriefing> {
  const row = await prisma.task.findFirst({ where: { id: taskId, tenantId }, select: { briefing: true } });
  return { briefing: briefingOf({ id: taskId, briefing: row?.briefing ?? null }) };
}

/** The column of a task's row. */
export function briefingOf({ id, briefing }: { readonly id: string; readonly briefing: unknown }) {
  return columnOf(Told, briefing, { table: 'tasks', id, column: 'briefing' });
}

/** Model calls, oldest first: the prompt log. */
export async function listModelCalls(
  prisma: PrismaClient,
  task: TaskRef,
  query: PageQuery,
): Promise<ModelCallPage> {
  const fingerprint = filterFingerprint({ list: 'model-calls', taskId: task.taskId });
  const rows = await prisma.modelCall.findMany({
    where: { ...scopeOf(task), ...(query.after !== undefined && afterCall(fingerprint, query.after)) },
    orderBy: [{ turn: 'asc' }, { attempt: 'asc' }, { id: 'asc' }],
    take: query.limit + 1,
  });
  const usage = await prisma.usageRecord.findMany({
    where: { modelCallId: { in: rows.map(({ id }) => id) } },
  });
  const usageOf = new Map(usage.map((use) => [use.modelCallId, use]));
  const view = (row: ModelCall) => modelCallViewOf(row, usageOf.get(row.id));
  return toPage(rows, query.limit, view, (row) => encodeCursor(fingerprint, [row.turn, row.attempt, row.id]));
}

/** Messages that were sent to the task, oldest first; those that are neither delivered nor withdrawn wait for a turn boundary. */
export async function listInbox(
  prisma: PrismaClient,
  task: TaskRef,
  query: PageQuery,
): Promise<InboxMessagePage> {
  const fingerprint = filterFingerprint({ list: 'inbox', taskId: task.taskId });
  const after = idOf(fingerprint, query.after);
  const rows = await prisma.inboxMessage.findMany({
    where: { ...scopeOf(task), source: { not: 'notice' }, ...(after !== undefined && { id: { gt: after } }) },
    orderBy: { id: 'asc' },
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, inboxViewOf, (row) => encodeCursor(fingerprint, [row.id]));
}

/** One message of the inbox; null when the task has none with this id. */
export async function getInboxMessage(
  prisma: PrismaClient,
  task: TaskRef,
  messageId: string,
): Promise<InboxMessageView | null> {
  const row = await prisma.inboxMessage.findFirst({ where: { ...scopeOf(task), id: messageId } });
  return row && inboxViewOf(row);
}

/** The API history in order, verbatim as the model is sent it; what was dropped from the conversation says when. */
export async function listApiHistory(
  prisma: PrismaClient,
  task: TaskRef,
  query: PageQuery,
): Promise<ApiMessagePage> {
  const fingerprint = filterFingerprint({ list: 'api-history', taskId: task.taskId });
  const [seq] = numbersOf(fingerprint, query.after, 1);
  const rows = await prisma.apiMessage.findMany({
    where: { ...scopeOf(task), ...(seq !== undefined && { seq: { gt: seq } }) },
    orderBy: { seq: 'asc' },
    take: query.limit + 1,
  });
  return toPage(rows, query.limit, apiMessageViewOf, (row) => encodeCursor(fingerprint, [row.seq]));
}

/** A turn may have several calls with the same number (the work itself, the final output): the id breaks the tie. */
function afterCall(fingerprint: string, after: string): Prisma.ModelCallWhereInput {
  const [turn, attempt, id] = decodeCursor(fingerprint, after);
  if (!isInt32(turn) || !isInt32(attempt) || !isId(id)) throw badCursor('is not a cursor of this list');
  return {
    OR: [{ turn: { gt: turn } }, { turn, attempt: { gt: attempt } }, { turn, attempt, id: { gt: id } }],
  };
}

function numbersOf(fingerprint: string, after: string | undefined, count: number): number[] {
  if (after === undefined) return [];
  const key = decodeCursor(fingerprint, after);
  const numbers = key.filter(isInt32);
  if (key.length !== count || numbers.length !== count) throw badCursor('is not a cursor of this list');
  return numbers;
}

function idOf(fingerprint: string, after: string | undefined): string | undefined {
  if (after === undefined) return undefined;
  const [id] = decodeCursor(fingerprint, after);
  if (!isId(id)) throw badCursor('is not a cursor of this list');
  return id;
}

const isInt32 = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31;
const isId = (value: unknown): value is string => typeof value === 'string';

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null;

function attemptViewOf(row: Attempt): AttemptView {
  return {
    number: row.number,
    startedAt: timeOf(row.startedAt),
    endedAt: timeOf(row.endedAt),
    outcome: row.outcome,
    failure: columnOf(Failure, row.failure, {
      table: 'attempts',
      id: `${row.taskId} ${row.number}`,
      column: 'failure',
    }),
  };
}

/** A row of `tool_calls` as the API shows it. */
export function toolCallViewOf(row: ToolCall): ToolCallView {
  return {
    id: row.id,
    taskId: row.taskId,
    turn: row.turn,
    position: row.position,
    toolUseId: row.toolUseId,
    tool: row.tool,
    state: row.status,
    rawArguments: row.rawArguments,
    arguments: row.arguments as Json,
    approval: columnOf(Approval, row.approval, { table: 'tool_calls', id: row.id, column: 'approval' }),
    output: row.output,
    outputTruncated: row.fullOutput !== null,
    ...(row.media !== null && {
      media: columnOf(MediaColumn, row.media, { table: 'tool_calls', id: row.id, column: 'media' }),
    }),
    isError: row.isError,
    childTaskId: row.childTaskId,
    sandbox: row.sandbox,
    durationMs: row.startedAt && row.endedAt ? row.endedAt.getTime() - row.startedAt.getTime() : null,
    startedAt: timeOf(row.startedAt),
    endedAt: timeOf(row.endedAt),
  };
}

function modelCallViewOf(row: ModelCall, use: UsageRecord | undefined): ModelCallView {
  return {
    id: row.id,
    turn: row.turn,
    attempt: row.attempt,
    phase: row.phase,
    profile: row.profile,
    model: row.model,
    status: row.status,
    requestHash: row.requestHash,
    requestMessages: row.requestMessages,
    context: columnOf(Context, row.context, { table: 'model_calls', id: row.id, column: 'context' }),
    usage: use === undefined ? null : tokensOf(use),
    costUsd: use?.costNanoUsd == null ? null : usdOf(use.costNanoUsd),
    firstByteMs: row.firstByteMs,
    firstTextMs: row.firstTextMs,
    durationMs: row.endedAt && row.endedAt.getTime() - row.startedAt.getTime(),
    providerRequestId: row.providerRequestId,
    stopReason: row.stopReason,
    errorClass: row.errorClass,
    errorMessage: row.errorMessage,
    retryDelayMs: row.retryDelayMs,
    startedAt: row.startedAt.toISOString(),
    endedAt: timeOf(row.endedAt),
  };
}

function tokensOf(use: UsageRecord): TokenUsage {
  return {
    inputTokens: Number(use.inputTokens),
    outputTokens: Number(use.outputTokens),
    cacheReadTokens: Number(use.cacheReadTokens),
    cacheWrite5mTokens: Number(use.cacheWrite5mTokens),
    cacheWrite1hTokens: Number(use.cacheWrite1hTokens),
  };
}

function inboxViewOf(row: InboxMessage): InboxMessageView {
  return {
    id: row.id,
    taskId: row.taskId,
    text: row.text,
    createdAt: row.createdAt.toISOString(),
    editedAt: timeOf(row.editedAt),
    withdrawnAt: timeOf(row.withdrawnAt),
    deliveredAt: timeOf(row.deliveredAt),
  };
}

/** A row of `api_messages` as the API shows it. */
export function apiMessageViewOf(row: ApiMessage): ApiMessageView {
  return {
    id: row.id,
    seq: row.seq,
    turn: row.turn,
    role: row.role,
    content: columnOf(Content, row.content, { table: 'api_messages', id: row.id, column: 'content' }),
    stopReason: row.stopReason,
    reduction: columnOf(Reduced, row.reduction, { table: 'api_messages', id: row.id, column: 'reduction' }),
    createdAt: row.createdAt.toISOString(),
    droppedAt: timeOf(row.droppedAt),
  };
}

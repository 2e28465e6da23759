/**
 * Tasks of other tenants and installations, as history: ended, readable, and nothing that counts as work done here. Their rows hold what is shown and searched; what
 * they used and when stays in one column (`imported`), which no sum looks at. A constraint of the table keeps them from ever running.
 */
import { AgentDefinition, isTerminal, TaskView, type ImportTask } from '@bullpen/contracts';
import type { PoolClient } from 'pg';
import { z } from 'zod';
import { pgJson } from '../steps/sql.js';
import type { Change } from './changes.js';

/** The epoch of events that happened elsewhere. No lease has it. */
export const IMPORTED_EPOCH = -1;

/** What an imported task was, but for what its own columns say. */
export const ImportedTask = z.object({
  from: z.string(),
  exportedAt: z.string(),
  importedAt: z.string(),
  view: TaskView.omit({ prompt: true, input: true, output: true, importedFrom: true, tree: true }),
});
export type ImportedTask = z.infer<typeof ImportedTask>;

/** A document whose ids are new, and so nobody else's. */
export interface NewImport {
  readonly tenantId: string;
  readonly by: string;
  /** The tasks, parents first. */
  readonly tasks: readonly ImportedPart[];
  readonly exportedAt: string;
}

export type ImportedPart = ImportTask['tasks'][number] & {
  /** Its id where it comes from. */
  readonly from: string;
};

type Row = Readonly<Record<string, unknown>>;
type TimedImport = NewImport & { readonly at: Date };

/** Stores all of it, inside the caller's transaction. */
export async function insertImport(client: PoolClient, document: NewImport): Promise<readonly Change[]> {
  const { rows } = await client.query<{ at: Date }>('SELECT now() AS at');
  const request = { ...document, at: rows[0]?.at ?? new Date() };
  const { tenantId } = request;
  const rootId = request.tasks[0]?.task.id ?? '';
  const depths = depthsOf(request.tasks);
  const heads = request.tasks.map((part, at) =>
    taskRow(request, part, { rootId, at, depth: depths.get(part.task.id) ?? 0 }),
  );
  await insert(client, INSERT_TASKS, heads);
  const told = request.tasks.flatMap((part) =>
    eventRows(request, part).map((event) => ({ ...event, rootId, tenantId })),
  );
  await insert(client, INSERT_EVENTS, told);
  await insert(client, INSERT_MESSAGES, request.tasks.flatMap(messageRows));
  await insert(client, INSERT_CALLS, request.tasks.flatMap(callRows));
  return request.tasks.map(({ task }, at) => ({
    ...{ id: task.id, root_id: rootId, tenant_id: tenantId, event_seq: Number(heads[at]?.['eventSeq']) },
  }));
}

function depthsOf(parts: readonly ImportedPart[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { task } of parts)
    depths.set(task.id, depths.size === 0 ? 0 : (depths.get(task.parentId ?? '') ?? 0) + 1);
  return depths;
}

function taskRow(
  { tenantId, at: importedAt, exportedAt, tasks }: TimedImport,
  part: ImportedPart,
  { rootId, at, depth }: { readonly rootId: string; readonly at: number; readonly depth: number },
): Row {
  const { prompt, input, output, importedFrom: _, ...view } = part.task;
  const ended = isTerminal(view.state);
  const imported = { from: part.from, exportedAt, importedAt: importedAt.toISOString(), view };
  return {
    ...{ id: view.id, tenantId, rootId, parentId: at === 0 ? null : view.parentId, depth },
    ...{ title: view.title, agent: view.agent, model: view.model, definition: definitionOf(view) },
    briefing: part.briefing ?? null,
    ...{ prompt, input, output, tags: view.tags, metadata: view.metadata, todos: view.todos, imported },
    state: ended ? view.state : 'cancelled',
    stopCause: ended ? view.stopCause : 'cancelled',
    failure: view.failure,
    messageSeq: part.messages.length,
    eventSeq: part.events.length + (ended ? 1 : 2),
    // Siblings stand in the order of their creation.
    at: new Date(importedAt.getTime() - tasks.length + 1 + at).toISOString(),
  };
}

/** Nobody runs as it; readers of rows only expect one. */
function definitionOf(view: ImportedTask['view']): AgentDefinition {
  const { agent: name, model, autonomy, approvals, limits, retry } = view;
  return AgentDefinition.parse({
    ...{ name, description: 'An agent of another installation.', model, systemPrompt: '', tools: [] },
    ...{ maxOutputTokens: 1, autonomy, approvals, limits, retry, inputSchema: null, outputSchema: null },
  });
}

/** What happened elsewhere, then what happened to it here. */
function eventRows({ exportedAt, at, by }: TimedImport, { task, events, from }: ImportedPart): Row[] {
  const rows: Row[] = events.map((event) => ({
    ...{ taskId: task.id, seq: event.seq, type: event.type, data: event.data, at: event.at },
    epoch: IMPORTED_EPOCH,
  }));
  const tell = (type: string, data: object): void => {
    rows.push({ taskId: task.id, seq: rows.length + 1, type, data, at: at.toISOString(), epoch: null });
  };
  if (!isTerminal(task.state)) {
    const note = 'It had not ended when it was exported.';
    tell('task.status_changed', { from: task.state, to: 'cancelled', cause: 'cancelled', note });
  }
  tell('task.imported', { from, exportedAt, by });
  return rows;
}

function messageRows({ task, messages }: ImportedPart): Row[] {
  return messages.map((message) => ({ ...message, taskId: task.id }));
}

function callRows({ task, messages, toolCalls }: ImportedPart): Row[] {
  const askedIn = new Map(
    messages.flatMap(({ id, content }) =>
      content.flatMap((block) => (block.type === 'tool_use' ? [[block.id, id] as const] : [])),
    ),
  );
  return toolCalls.map((call) => ({
    ...{ ...call, taskId: task.id, messageId: askedIn.get(call.toolUseId) },
    fullOutput: call.outputTruncated ? (call.output ?? '') : null,
  }));
}

/** Rows of one statement, and their bytes: large enough to be quick, small enough to be no load. */
const MOST_ROWS = 2_000;
const MOST_BYTES = 4_000_000;

async function insert(client: PoolClient, statement: string, rows: readonly Row[]): Promise<void> {
  let batch: string[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await client.query(statement, [`[${batch.join(',')}]`]);
    [batch, bytes] = [[], 0];
  };
  for (const row of rows) {
    const text = pgJson(row);
    if (batch.length >= MOST_ROWS || bytes + text.length > MOST_BYTES) await flush();
    batch.push(text);
    bytes += text.length;
  }
  await flush();
}

const INSERT_TASKS = `
  INSERT INTO tasks (id, tenant_id, root_id, parent_id, depth, title, agent, model, definition, prompt, input, output, workspace, tags, metadata, todos,
    briefing, imported, state, stop_cause, failure, message_seq, event_seq, created_at, updated_at, ended_at)
  SELECT id, "tenantId", "rootId", "parentId", depth, title, agent, model, definition, prompt, input, output, '{"kind": "empty"}', tags, metadata, todos,
    briefing, imported, state, "stopCause", failure, "messageSeq", "eventSeq", at, at, at
  FROM json_to_recordset($1::json) AS t(id text, "tenantId" text, "rootId" text, "parentId" text, depth int, title text, agent text, model text, definition json,
    prompt text, input json, output json, tags text[], metadata jsonb, todos jsonb, briefing json, imported json, state task_state, "stopCause" text, failure json,
    "messageSeq" int, "eventSeq" int, at timestamptz)`;

const INSERT_EVENTS = `
  INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data, epoch, at)
  SELECT "taskId", seq, "rootId", "tenantId", type, data, epoch, at
  FROM json_to_recordset($1::json) AS e("taskId" text, seq int, "rootId" text, "tenantId" text, type text, data json, epoch int, at timestamptz)`;

const INSERT_MESSAGES = `
  INSERT INTO api_messages (id, task_id, seq, turn, role, content, stop_reason, epoch, created_at, dropped_at)
  SELECT id, "taskId", seq, turn, role, content, "stopReason", 0, "createdAt", "droppedAt"
  FROM json_to_recordset($1::json) AS m(id text, "taskId" text, seq int, turn int, role message_role, content json, "stopReason" text, "createdAt" timestamptz,
    "droppedAt" timestamptz)`;

const INSERT_CALLS = `
  INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, arguments, approval, output, full_output, media, is_error,
    child_task_id, sandbox, started_at, ended_at)
  SELECT id, "taskId", "messageId", turn, position, "toolUseId", tool, state, "rawArguments", arguments, approval, output, "fullOutput", media, "isError",
    "childTaskId", sandbox, "startedAt", "endedAt"
  FROM json_to_recordset($1::json) AS c(id text, "taskId" text, "messageId" text, turn int, position int, "toolUseId" text, tool text, state tool_call_status,
    "rawArguments" text, arguments json, approval json, output text, "fullOutput" text, media json, "isError" boolean, "childTaskId" text, sandbox text,
    "startedAt" timestamptz, "endedAt" timestamptz)`;

/** Tasks that begin from a checkpoint of another one: with its files, and if wanted with the conversation up to it. */
import {
  AppError,
  ContentBlock,
  originOf,
  TaskWorkspace,
  type AgentDefinition,
  type MessageRole,
  type WorkspaceOrigin,
} from '@bullpen/contracts';
import { foreignHistory, forkedImportText, forkedText } from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { columnOf } from '../database/json-column.js';
import { pgJson, prepared } from '../steps/sql.js';
import { createRoots, rootRow, type Born, type NewRootTask } from './birth.js';
import type { Change } from './changes.js';
import { keepInherited } from '../media/unused-attachments.js';
import { definitionOf } from './situation.js';

/** A checkpoint that a task may begin from. */
export interface ForkSource {
  readonly checkpointId: string;
  /** The task that took it. */
  readonly taskId: string;
  readonly definition: AgentDefinition;
  /** What the work began with. */
  readonly origin: WorkspaceOrigin;
  /** The command that prepared its workspace. */
  readonly setup: string | undefined;
  /** The newest event of the task when it was taken. */
  readonly eventSeq: number;
}

interface SourceRow {
  readonly task_id: string;
  readonly root_id: string;
  readonly definition: unknown;
  readonly workspace: unknown;
  readonly event_seq: number;
}

export type NewId = (prefix: 'msg' | 'inbox' | 'call') => string;

/** Null when there is none, or when it belongs to another tenant. */
export async function findForkSource(
  client: Pick<Pool, 'query'>,
  tenantId: string,
  checkpointId: string,
): Promise<ForkSource | null> {
  const { rows } = await client.query<SourceRow>(
    `SELECT c.task_id, c.root_id, c.event_seq, t.definition, r.workspace
     FROM checkpoints c JOIN tasks t ON t.id = c.task_id JOIN tasks r ON r.id = c.root_id
     WHERE c.id = $1 AND c.tenant_id = $2`,
    [checkpointId, tenantId],
  );
  const [row] = rows;
  if (row === undefined) return null;
  const place = { table: 'tasks', id: row.root_id, column: 'workspace' };
  const workspace = columnOf(TaskWorkspace, row.workspace, place);
  return {
    checkpointId,
    taskId: row.task_id,
    definition: definitionOf(row.task_id, row.definition),
    origin: originOf(workspace),
    setup: workspace.setup,
    eventSeq: row.event_seq,
  };
}

/** Stores a root with all that it is given along. Throws `not_found` when the checkpoint is gone that it is to begin from. */
export async function createWhole(client: PoolClient, task: NewRootTask, newId: NewId): Promise<Born> {
  const { id, tenantId, message } = task;
  const born = await createAny(client, task, newId);
  if (message == null) return born;
  const { rows } = await client.query<Change>(
    prepared('send-message', [id, tenantId, newId('inbox'), message]),
  );
  return { ...born, changes: [...born.changes, ...rows] };
}

function createAny(client: PoolClient, task: NewRootTask, newId: NewId): Promise<Born> {
  const { workspace, historyOf } = task;
  if (historyOf != null) return createImportFork(client, task, historyOf, newId);
  if (workspace.kind === 'fork') return createFork(client, task, workspace, newId);
  return createRoot(client, task, newId);
}

async function createRoot(client: PoolClient, task: NewRootTask, newId: NewId): Promise<Born> {
  const [born] = await createRoots(client, [rootRow(task, newId('msg'))]);
  if (!born) throw new Error(`Nothing was stored of ${task.id}`);
  return born;
}

/** Goes on from the whole conversation of an imported task. Its row is only read: nothing but its tree's deletion changes what is in it. */
async function createImportFork(
  client: PoolClient,
  task: NewRootTask,
  importedId: string,
  newId: NewId,
): Promise<Born> {
  await client.query(prepared('lock-family', [importedId]));
  const { changes, createdAt } = await createRoot(client, task, newId);
  const said = await importedWords(client, importedId);
  const messages = await inherit(client, task.id, { taskId: importedId, eventSeq: ALL_EVENTS }, said, newId);
  const { rows } = await client.query<Change>(prepared('begin-fork', [task.id, importedId, null, messages]));
  await client.query(prepared('send-notice', [task.id, newId('inbox'), forkedImportText()]));
  await keepInherited(client, task.id);
  return { changes: [...changes, ...rows], createdAt };
}

const ALL_EVENTS = 2_147_483_647;

/** Its row in `workspaces` keeps the checkpoint from being deleted until the new task has stored a state of its own. */
async function createFork(
  client: PoolClient,
  task: NewRootTask,
  { checkpointId, history }: Extract<TaskWorkspace, { kind: 'fork' }>,
  newId: NewId,
): Promise<Born> {
  const source = await lockForkSource(client, task.tenantId, checkpointId);
  if (source === null) throw new AppError('not_found', `There is no checkpoint ${checkpointId}.`);
  const { changes, createdAt } = await createRoot(client, task, newId);
  const said = history ? await idsOf(client, MESSAGES, [checkpointId]) : [];
  const words = said.map((was) => ({ was }));
  const messages = await inherit(client, task.id, source, words, newId);
  const { rows } = await client.query<Change>(
    prepared('begin-fork', [task.id, source.taskId, checkpointId, messages]),
  );
  if (history) await client.query(prepared('send-notice', [task.id, newId('inbox'), forkedText()]));
  await keepInherited(client, task.id);
  return { changes: [...changes, ...rows], createdAt };
}

/** Whoever deletes or thins out what is stored of a tree locks all of it: the checkpoint stays while this transaction lasts. */
async function lockForkSource(
  client: PoolClient,
  tenantId: string,
  checkpointId: string,
): Promise<ForkSource | null> {
  const found = await findForkSource(client, tenantId, checkpointId);
  if (found === null) return null;
  await client.query(prepared('lock-family', [found.taskId]));
  return findForkSource(client, tenantId, checkpointId);
}

/** A message that comes along; with content where it is to differ. */
interface Said {
  readonly was: string;
  readonly content?: readonly ContentBlock[];
}

/** The conversation takes the place of the new task's own beginning; gives the number of its messages. */
async function inherit(
  client: PoolClient,
  newTask: string,
  { taskId, eventSeq }: Pick<ForkSource, 'taskId' | 'eventSeq'>,
  said: readonly Said[],
  newId: NewId,
): Promise<number> {
  if (said.length === 0) return 0;
  const calls = await idsOf(client, CALLS, [taskId, said.map(({ was }) => was)]);
  const ids = [
    ...said.map((message) => ({ ...message, becomes: newId('msg') })),
    ...calls.map((was) => ({ was, becomes: newId('call') })),
  ];
  await client.query('DELETE FROM api_messages WHERE task_id = $1', [newTask]);
  await client.query('DELETE FROM ui_events WHERE task_id = $1 AND seq > 1', [newTask]);
  await client.query(prepared('inherit-history', [newTask, taskId, eventSeq, pgJson(ids)]));
  return said.length;
}

/** As a model of this installation can be sent them. */
async function importedWords(client: PoolClient, importedId: string): Promise<Said[]> {
  const { rows } = await client.query<{ id: string; role: MessageRole; content: unknown }>(
    'SELECT id, role, content FROM api_messages WHERE task_id = $1 AND dropped_at IS NULL ORDER BY seq',
    [importedId],
  );
  const messages = rows.map(({ id, role, content }) => ({
    ...{ id, role },
    content: columnOf(z.array(ContentBlock), content, { table: 'api_messages', id, column: 'content' }),
  }));
  return foreignHistory(messages).map(({ id, content }) => ({ was: id, content }));
}

async function idsOf(client: PoolClient, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id);
}

/** As the model was sent them at that place: what was dropped later counts, and so does not the answer whose calls were about to run. */
const MESSAGES = `
  SELECT m.id FROM checkpoints c JOIN api_messages m ON m.task_id = c.task_id
  WHERE c.id = $1 AND m.seq <= c.message_seq AND m.turn <= c.turn AND (m.dropped_at IS NULL OR m.dropped_at > c.created_at)
  ORDER BY m.seq`;
const CALLS = `SELECT id FROM tool_calls WHERE task_id = $1 AND message_id = ANY ($2) ORDER BY turn, position`;

/** Sending messages to a task, stopping it, and taking things back, inside a transaction that has locked the task and its parent. */
import type { RewindTask, SendStrategy, TaskState, WaitReason } from '@bullpen/contracts';
import {
  autonomyNotice,
  isAtRest,
  isConversation,
  isRewindable,
  rewindPoint,
  type ExchangeStart,
} from '@bullpen/core';
import type { PoolClient } from 'pg';
import { cancelTree, closeEdges, effectsOf } from './cancellation.js';
import { effectsOfMoves, interruptOne, pauseTree, type Moved } from './controls.js';
import { NO_EFFECTS, type CommitEffects } from './changes.js';
import { situationOf } from './situation.js';
import { prepared } from '../steps/sql.js';

/** A message to a task; what it does to the current turn. @defaultValue `queue` */
export interface NewMessage {
  readonly id: string;
  readonly text: string;
  readonly strategy?: SendStrategy;
}

/** `busy`: something is running, and the message should not wait for it. */
export type SendResult = 'queued' | 'busy' | 'task_finished' | 'not_found';
/** `delivered`: the agent has read it, or a run has taken it to deliver it. */
export type ChangeMessageResult = 'changed' | 'delivered' | 'withdrawn' | 'unknown_message';
export type RewindResult =
  | { readonly kind: 'rewound'; readonly exchanges: number; readonly messages: number; readonly text: string }
  | { readonly kind: 'busy'; readonly state: TaskState }
  | { readonly kind: 'refused'; readonly reason: string };

/** A task that is locked. */
export interface Addressee {
  readonly tenantId: string;
  readonly taskId: string;
  readonly state: TaskState;
}

interface Outcome<R> {
  readonly result: R;
  readonly effects: CommitEffects;
}

/** A message that does not only wait for the next turn boundary. */
export async function sendWith(
  client: PoolClient,
  to: Addressee,
  message: NewMessage,
): Promise<Outcome<'queued' | 'busy'>> {
  if (message.strategy === 'reject' && !(await atRest(client, to)))
    return { result: 'busy', effects: NO_EFFECTS };
  const { effects } = await speak(client, to, message);
  return { result: 'queued', effects };
}

/** Cuts off what a task is doing, and tells it how to go on. A paused task stays paused, and reads the message when it is resumed. */
export async function speak(
  client: PoolClient,
  to: Addressee,
  message: NewMessage,
): Promise<Outcome<'interrupted' | 'paused'>> {
  const idle = to.state === 'waiting' && (await atRest(client, to));
  const sent = await send(client, to, message);
  const [rollback, cutsOff] = [message.strategy === 'rollback', message.strategy !== 'reject'];
  const result = to.state === 'paused' ? 'paused' : 'interrupted';
  // A task that waits for the user has nothing running: the message wakes it.
  if (idle || !cutsOff || (result === 'paused' && !rollback))
    return { result, effects: effectsOfMoves(sent) };
  const moved = await interruptOne(client, to.taskId, 'user', rollback);
  return { result, effects: effectsOfInterrupt(to, moved) };
}

/**
 * Stops what a task is doing, without a message. A conversation stops its answer, and it is the user's turn again; anything else is
 * paused with its tree.
 */
export async function stop(client: PoolClient, to: Addressee): Promise<Outcome<'interrupted' | 'paused'>> {
  if (!isConversation(await situationOf(client, to.taskId))) {
    const effects = effectsOf(await pauseTree(client, to.taskId, true), null);
    return { result: to.state === 'running' ? 'interrupted' : 'paused', effects };
  }
  if (to.state === 'paused') return { result: 'paused', effects: NO_EFFECTS };
  if (await atRest(client, to)) return { result: 'interrupted', effects: NO_EFFECTS };
  const moved = await interruptOne(client, to.taskId, 'user');
  return { result: 'interrupted', effects: effectsOfInterrupt(to, moved) };
}

/** Changes a message that no run has taken; null withdraws it. */
export async function changeMessage(
  client: PoolClient,
  taskId: string,
  messageId: string,
  text: string | null,
): Promise<Outcome<ChangeMessageResult>> {
  const { rows } = await client.query<{ state: 'pending' | 'delivered' | 'withdrawn'; moved: Moved | null }>(
    prepared('change-message', [taskId, messageId, text]),
  );
  const row = rows[0];
  const only = (result: ChangeMessageResult) => ({ result, effects: NO_EFFECTS });
  if (!row) return only('unknown_message');
  if (row.state !== 'pending') return only(row.state);
  return { result: 'changed', effects: effectsOfMoves(row.moved ? [row.moved] : []) };
}

/**
 * Drops the newest part of the conversation of a task that is at rest or has failed. Subtasks that only these messages know of are
 * cancelled: nobody could read their results. What the messages said about the autonomy is repeated under `noticeId`.
 */
export async function rewind(
  client: PoolClient,
  to: Addressee,
  request: RewindTask,
  noticeId: string,
): Promise<Outcome<RewindResult>> {
  const only = (result: RewindResult) => ({ result, effects: NO_EFFECTS });
  if (!isRewindable(to.state, await waitReasonOf(client, to))) return only({ kind: 'busy', state: to.state });
  const starts = await exchangeStarts(client, to.taskId);
  const answerSeqs = await answersOf(client, to.taskId);
  const point = rewindPoint({ state: to.state, starts, answerSeqs }, request);
  if (!point.ok) return only({ kind: 'refused', reason: point.reason });
  const cancelled = await cancelSubtasks(client, to.taskId, point.fromSeq);
  const { rows } = await client.query<Moved & { messages: number }>(
    prepared('rewind-task', [to.taskId, point.fromSeq]),
  );
  await tellAutonomy(client, to.taskId, noticeId);
  const { exchanges, text } = point;
  const own = effectsOfMoves(rows);
  return {
    result: { kind: 'rewound', exchanges, messages: rows[0]?.messages ?? 0, text },
    effects: { ...cancelled, rows: [...cancelled.rows, ...own.rows] },
  };
}

async function send(client: PoolClient, to: Addressee, { id, text }: NewMessage): Promise<readonly Moved[]> {
  const { rows } = await client.query<{ heard: Moved | null }>(
    prepared('send-message', [to.taskId, to.tenantId, id, text]),
  );
  return rows.flatMap(({ heard }) => heard ?? []);
}

/**
 * For an agent whose autonomy was switched at some point, unless it will be told anyway. Wakes nothing: it comes with the next
 * message.
 */
async function tellAutonomy(client: PoolClient, taskId: string, id: string): Promise<void> {
  const { definition, autonomy } = await situationOf(client, taskId);
  await client.query(
    `WITH told AS (
       UPDATE tasks SET inbox_pending = inbox_pending + 1 WHERE id = $1 AND autonomy IS NOT NULL AND NOT EXISTS (
         SELECT FROM inbox_messages WHERE task_id = $1 AND source = 'notice' AND delivered_at IS NULL AND withdrawn_at IS NULL)
       RETURNING id
     )
     INSERT INTO inbox_messages (id, task_id, text, source) SELECT $2, id, $3, 'notice' FROM told`,
    [taskId, id, autonomyNotice(definition, autonomy)],
  );
}

function effectsOfInterrupt(
  { tenantId }: Addressee,
  moved: (Moved & { readonly running: boolean }) | null,
): CommitEffects {
  if (!moved) return NO_EFFECTS;
  const cancels = moved.running ? [{ tenantId, rootId: moved.root_id }] : [];
  return { ...effectsOfMoves([moved]), cancels };
}

async function atRest(client: PoolClient, to: Addressee): Promise<boolean> {
  return isAtRest(to.state, await waitReasonOf(client, to));
}

async function waitReasonOf(client: PoolClient, { taskId }: Addressee): Promise<WaitReason | null> {
  const { rows } = await client.query<{ reason: WaitReason | null }>(
    'SELECT wait_reason AS reason FROM tasks WHERE id = $1',
    [taskId],
  );
  return rows[0]?.reason ?? null;
}

async function answersOf(client: PoolClient, taskId: string): Promise<number[]> {
  const { rows } = await client.query<{ seq: number }>(
    "SELECT seq FROM api_messages WHERE task_id = $1 AND role = 'assistant' AND dropped_at IS NULL ORDER BY seq",
    [taskId],
  );
  return rows.map(({ seq }) => seq);
}

async function exchangeStarts(client: PoolClient, taskId: string): Promise<ExchangeStart[]> {
  const { rows } = await client.query<ExchangeStart>(
    // Results come first in a message, so the first block tells.
    `SELECT m.id AS "messageId", m.seq, string_agg(e.data ->> 'text', E'\\n\\n' ORDER BY e.seq) AS text,
       coalesce(array_agg(e.data ->> 'inboxId') FILTER (WHERE e.data ->> 'inboxId' IS NOT NULL), '{}') AS "inboxIds"
     FROM api_messages m
     JOIN ui_events e ON e.task_id = m.task_id AND e.type = 'message.user' AND e.data ->> 'messageId' = m.id AND e.data ->> 'source' <> 'harness'
     WHERE m.task_id = $1 AND m.role = 'user' AND m.dropped_at IS NULL AND m.content -> 0 ->> 'type' <> 'tool_result'
     GROUP BY m.id, m.seq ORDER BY m.seq`,
    [taskId],
  );
  return rows;
}

async function cancelSubtasks(client: PoolClient, taskId: string, fromSeq: number): Promise<CommitEffects> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT child.id FROM tool_calls c
     JOIN api_messages m ON m.id = c.message_id AND m.task_id = $1 AND m.seq >= $2 AND m.dropped_at IS NULL
     JOIN tasks child ON child.id = c.child_task_id AND child.state NOT IN ('completed', 'failed', 'cancelled')
     WHERE c.task_id = $1 ORDER BY child.id`,
    [taskId, fromSeq],
  );
  const all: CommitEffects[] = [];
  // One after the other: each locks its own part of the tree.
  for (const { id } of rows) {
    const touched = await cancelTree(client, id, 'The conversation was rewound past its beginning.');
    const ended = touched.some((task) => task.id === id && task.ended);
    all.push(effectsOf(touched, ended ? await closeEdges(client, id) : null));
  }
  return {
    wakes: all.flatMap(({ wakes }) => wakes),
    rows: all.flatMap((effects) => effects.rows),
    cancels: all.flatMap(({ cancels }) => cancels),
  };
}

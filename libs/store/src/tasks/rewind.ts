/** Taking back the newest part of a conversation, inside a transaction that has locked the task and its parent. */
import type { RewindTask, TaskState } from '@bullpen/contracts';
import { autonomyNotice, importRefusal, isRewindable, rewindPoint, type ExchangeStart } from '@bullpen/core';
import type { PoolClient } from 'pg';
import { prepared } from '../steps/sql.js';
import { cancelTree } from './cancellation.js';
import { unchanged, type Change, type Outcome } from './changes.js';
import type { LockedTask } from './controls.js';
import { situationOf } from './situation.js';

export type RewindResult =
  | { readonly kind: 'rewound'; readonly exchanges: number; readonly messages: number; readonly text: string }
  | { readonly kind: 'busy'; readonly state: TaskState }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Drops the newest part of the conversation of a task that is at rest or has failed. Subtasks that only these messages know of are
 * cancelled: nobody could read their results. What the messages said about the autonomy is repeated under `noticeId`.
 */
export async function rewind(
  client: PoolClient,
  to: LockedTask,
  request: RewindTask,
  noticeId: string,
): Promise<Outcome<RewindResult>> {
  if (to.isImported) return unchanged({ kind: 'refused', reason: importRefusal({ id: to.taskId }).reason });
  if (!isRewindable(to.state, to.waitReason)) return unchanged({ kind: 'busy', state: to.state });
  const starts = await exchangeStarts(client, to.taskId);
  const answerSeqs = await answersOf(client, to.taskId);
  const point = rewindPoint({ state: to.state, starts, answerSeqs }, request);
  if (!point.ok) return unchanged({ kind: 'refused', reason: point.reason });
  const { exchanges, text, fromSeq } = point;
  const { result: messages, changes } = await dropHistory(client, to.taskId, fromSeq, 'rewind', noticeId);
  return { result: { kind: 'rewound', exchanges, messages, text }, changes };
}

/** Drops the newest part of a conversation that may be cut; gives how many messages that are. */
export async function dropHistory(
  client: PoolClient,
  taskId: string,
  fromSeq: number,
  reason: 'rewind' | 'restore',
  noticeId: string,
): Promise<Outcome<number>> {
  const cancelled = await cancelSubtasks(client, taskId, fromSeq);
  const { rows } = await client.query<Change & { messages: number }>(
    prepared('rewind-task', [taskId, fromSeq, reason]),
  );
  await tellAutonomy(client, taskId, noticeId);
  return { result: rows[0]?.messages ?? 0, changes: [...cancelled, ...rows] };
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

async function cancelSubtasks(
  client: PoolClient,
  taskId: string,
  fromSeq: number,
): Promise<readonly Change[]> {
  const { rows } = await client.query<{ id: string }>(
    `SELECT child.id FROM tool_calls c
     JOIN api_messages m ON m.id = c.message_id AND m.task_id = $1 AND m.seq >= $2 AND m.dropped_at IS NULL
     JOIN tasks child ON child.id = c.child_task_id AND child.state NOT IN ('completed', 'failed', 'cancelled')
     WHERE c.task_id = $1 ORDER BY child.id`,
    [taskId, fromSeq],
  );
  const changes: Change[] = [];
  // One after the other: each locks its own part of the tree.
  for (const { id } of rows)
    changes.push(...(await cancelTree(client, id, 'The conversation was rewound past its beginning.')));
  return changes;
}

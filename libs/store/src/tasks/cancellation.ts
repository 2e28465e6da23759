/** Cancelling trees, inside a transaction that others may be part of. */
import type { PoolClient } from 'pg';
import { prepared } from '../steps/sql.js';
import type { Change } from './changes.js';

/** Cancels a task and everything below it; its parent is told when that ended it. */
export async function cancelTree(
  client: PoolClient,
  taskId: string,
  reason: string | null,
): Promise<readonly Change[]> {
  const changes = await cancelLocked(client, await lockSubtree(client, taskId), reason);
  const ended = changes.some(({ id, leave }) => id === taskId && !leave);
  return ended ? [...changes, ...(await closeEdges(client, taskId))] : changes;
}

/** Cancels everything below a task that has just ended: nobody will read the results. The task's row is locked already. */
export async function cancelDescendants(client: PoolClient, taskId: string): Promise<readonly Change[]> {
  const ids = (await lockSubtree(client, taskId)).filter((id) => id !== taskId);
  return ids.length === 0 ? [] : cancelLocked(client, ids, 'The task that started it has ended.');
}

/** Closes the edges to a task that has ended; gives its parent, unless there is none or it has ended. */
export async function closeEdges(client: PoolClient, taskId: string): Promise<readonly Change[]> {
  return (await client.query<Change>(prepared('close-edges', [[taskId]]))).rows;
}

/** Those that `leave` run on, marked, until their workers end them; the others are cancelled now. */
async function cancelLocked(
  client: PoolClient,
  ids: readonly string[],
  reason: string | null,
): Promise<readonly Change[]> {
  const { rows } = await client.query<Change>(prepared('cancel-tasks', [ids, reason]));
  const ended = rows.filter(({ leave }) => !leave).map(({ id }) => id);
  if (ended.length > 0) await client.query(prepared('write-off-calls', [ended]));
  return rows;
}

/**
 * Locks a task, its parent and everything below it, parents first. Repeats until no child was created between the look and the
 * lock.
 */
export async function lockSubtree(client: PoolClient, taskId: string): Promise<string[]> {
  await client.query(prepared('lock-family', [taskId]));
  let known = -1;
  for (;;) {
    const ids = (await client.query<{ id: string }>(prepared('subtree', [taskId]))).rows.map(({ id }) => id);
    if (ids.length === known) return ids;
    known = ids.length;
    await client.query(prepared('lock-tasks', [ids]));
  }
}

/** Cancelling trees, inside a transaction that others may be part of. */
import type { PoolClient } from 'pg';
import type { CommitEffects, Wake } from './changes.js';
import { prepared } from '../steps/sql.js';

/** A task that a cancel changed. `ended`: it is cancelled now; else it runs, is marked, and its worker ends it. */
export interface Touched {
  readonly id: string;
  readonly root_id: string;
  readonly tenant_id: string;
  readonly event_seq: number;
  readonly ended: boolean;
}

/** A parent after one of its children ended. */
export interface Parent {
  readonly id: string;
  readonly root_id: string;
  readonly tenant_id: string;
  readonly event_seq: number;
  readonly woken: boolean;
  readonly wake: number;
}

/** Cancels a task and everything below it. */
export async function cancelTree(
  client: PoolClient,
  taskId: string,
  reason: string | null,
): Promise<readonly Touched[]> {
  return cancelLocked(client, await lockSubtree(client, taskId), reason);
}

/** Cancels everything below a task that has just ended: nobody will read the results. The task's row is locked already. */
export async function cancelDescendants(client: PoolClient, taskId: string): Promise<readonly Touched[]> {
  const ids = (await lockSubtree(client, taskId)).filter((id) => id !== taskId);
  return ids.length === 0 ? [] : cancelLocked(client, ids, 'The task that started it has ended.');
}

/** Closes the edges to a task that has ended; returns its parent, unless there is none or it has ended. */
export async function closeEdges(client: PoolClient, taskId: string): Promise<Parent | null> {
  return (await client.query<Parent>(prepared('close-edges', [taskId]))).rows[0] ?? null;
}

/** What has to be announced about cancelled tasks, and about a parent that was told of an end. */
export function effectsOf(touched: readonly Touched[], parent: Parent | null): CommitEffects {
  const places = [...touched, ...(parent ? [parent] : [])];
  const running = touched.find((task) => !task.ended);
  return {
    wakes: parent?.woken ? [{ taskId: parent.id, wake: parent.wake } satisfies Wake] : [],
    rows: places.map((place) => ({
      tenantId: place.tenant_id,
      rootId: place.root_id,
      taskId: place.id,
      seq: place.event_seq,
    })),
    cancels: running ? [{ tenantId: running.tenant_id, rootId: running.root_id }] : [],
  };
}

async function cancelLocked(
  client: PoolClient,
  ids: readonly string[],
  reason: string | null,
): Promise<readonly Touched[]> {
  const { rows } = await client.query<Touched>(prepared('cancel-tasks', [ids, reason]));
  const ended = rows.filter((task) => task.ended).map(({ id }) => id);
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

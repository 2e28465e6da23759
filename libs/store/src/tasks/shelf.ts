/** What changes how tasks are found, and nothing about their work: tags, and whether they are archived. Inside a transaction on the locked row. */
import type { PoolClient } from 'pg';
import { unchanged, type Change, type Outcome } from './changes.js';

const MOST_TAGS = 20;

export type ShelfResult = 'changed' | 'unchanged' | 'too_many_tags';

/** Puts a task away, or back. */
export async function setArchived(
  client: PoolClient,
  taskId: string,
  archived: boolean,
): Promise<Outcome<ShelfResult>> {
  return changed(
    client,
    `UPDATE tasks SET archived_at = CASE WHEN $2 THEN now() END, event_seq = event_seq + 1, updated_at = now()
     WHERE id = $1 AND (archived_at IS NOT NULL) <> $2 RETURNING id, root_id, tenant_id, event_seq, json_build_object('archived', $2) AS changes`,
    [taskId, archived],
  );
}

/** Takes tags away and adds others; what is there already stays where it is. */
export async function changeTags(
  client: PoolClient,
  taskId: string,
  add: readonly string[],
  remove: readonly string[],
): Promise<Outcome<ShelfResult>> {
  const { rows } = await client.query<{ tags: string[] }>('SELECT tags FROM tasks WHERE id = $1', [taskId]);
  const before = rows[0]?.tags ?? [];
  const tags = [...new Set([...before.filter((tag) => !remove.includes(tag)), ...add])];
  if (tags.length > MOST_TAGS) return unchanged('too_many_tags');
  if (tags.join('\n') === before.join('\n')) return unchanged('unchanged');
  return changed(
    client,
    `UPDATE tasks SET tags = $2::text[], event_seq = event_seq + 1, updated_at = now()
     WHERE id = $1 RETURNING id, root_id, tenant_id, event_seq, json_build_object('tags', $2::text[]) AS changes`,
    [taskId, tags],
  );
}

async function changed(
  client: PoolClient,
  update: string,
  values: readonly unknown[],
): Promise<Outcome<ShelfResult>> {
  const { rows: changes } = await client.query<Change>(
    `WITH moved AS (${update}), told AS (
       INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data)
       SELECT id, event_seq, root_id, tenant_id, 'task.updated', json_build_object('changes', changes) FROM moved)
     SELECT id, root_id, tenant_id, event_seq FROM moved`,
    [...values],
  );
  return { result: changes.length > 0 ? 'changed' : 'unchanged', changes };
}

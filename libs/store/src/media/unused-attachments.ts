/** Attachments that no task refers to any more. */
import type { Pool, PoolClient } from 'pg';

/**
 * Deletes contents that nobody can need. Whatever refers to one brought it (`kept_at`) when its tree was there already or about to be stored, so an
 * attachment stays as long as its tenant has a tree that is not younger. That keeps some for too long and none too short, and needs no list of uses that
 * each step would have to write. A day of rest is for those that were brought and will be referred to.
 *
 * @returns how many were deleted
 */
export async function deleteUnusedAttachments(pool: Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM attachments a
     WHERE a.kept_at < now() - interval '1 day' AND NOT EXISTS (
       SELECT FROM tasks t WHERE t.tenant_id = a.tenant_id AND t.parent_id IS NULL AND t.created_at <= a.kept_at + interval '1 hour')`,
  );
  return rowCount ?? 0;
}

/** A tree that begins with what another one had refers to its attachments from now on, too. In the transaction that creates it. */
export async function keepInherited(client: PoolClient, rootId: string): Promise<void> {
  await client.query(
    `UPDATE attachments a SET kept_at = now() FROM tasks t
     WHERE t.id = $1 AND a.tenant_id = t.tenant_id AND a.sha256 IN (
       SELECT (regexp_matches(said.text, '"sha256": ?"([0-9a-f]{64})"', 'g'))[1] FROM (
         SELECT t.context_items::text AS text
         UNION ALL SELECT m.content::text FROM api_messages m WHERE m.task_id = t.id) AS said
       WHERE strpos(said.text, '"sha256"') > 0)`,
    [rootId],
  );
}

/**
 * Fills the index of the search from the events, behind the steps: reading on from a cursor delays nobody, and what a crash cuts off is read again. Values that
 * nobody may see are masked before they are taken apart, so that nothing can be found out about them by searching.
 */
import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import { inTransaction } from '../database/transaction.js';
import { lexemesOf } from './terms.js';

/** What is found, and in what. */
export interface SearchText {
  readonly field: 'title' | 'prompt' | 'user' | 'agent';
  readonly text: string;
}

const Created = z.object({ title: z.string(), prompt: z.string() });
const Updated = z.object({ changes: z.object({ title: z.string() }) });
const UserMessage = z.object({ text: z.string(), source: z.literal('steering') });
const AgentMessage = z.object({ text: z.string() });

/** The texts of an event that can be found; most events have none. */
export function searchTextsOf(type: string, data: unknown): SearchText[] {
  switch (type) {
    case 'task.created': {
      const created = Created.safeParse(data).data;
      if (created === undefined) return [];
      return [
        { field: 'title', text: created.title },
        { field: 'prompt', text: created.prompt },
      ];
    }
    case 'task.updated': {
      const title = Updated.safeParse(data).data?.changes.title;
      return title === undefined ? [] : [{ field: 'title', text: title }];
    }
    case 'message.user': {
      const text = UserMessage.safeParse(data).data?.text;
      return text === undefined ? [] : [{ field: 'user', text }];
    }
    case 'message.agent': {
      const text = AgentMessage.safeParse(data).data?.text;
      return text === undefined || text === '' ? [] : [{ field: 'agent', text }];
    }
    default:
      return [];
  }
}

interface EventRow {
  tenant_id: string;
  tx: bigint;
  id: bigint;
  task_id: string;
  seq: number;
  at: Date;
  type: string;
  data: unknown;
  last: boolean;
  size: bigint;
}

/** Events of one tenant that one transaction looks at. */
const BATCH = 500;

/** Looks through all events that are new; false when there were none. Safe to run in several processes at once. */
export async function indexEvents(
  pool: Pool,
  mask: (text: string) => string,
  batch = BATCH,
): Promise<boolean> {
  await pool.query(
    `INSERT INTO search_cursors (tenant_id) SELECT id FROM tenants t
     WHERE NOT EXISTS (SELECT FROM search_cursors c WHERE c.tenant_id = t.id) ON CONFLICT DO NOTHING`,
  );
  let seen = 0;
  for (;;) {
    const pass = await inTransaction(pool, (client) => onePass(client, mask, batch));
    seen += pass.seen;
    if (!pass.more) return seen > 0;
  }
}

/** Only events that nothing can come before any more: those behind the oldest open transaction. */
async function onePass(
  client: PoolClient,
  mask: (text: string) => string,
  batch: number,
): Promise<{ seen: number; more: boolean }> {
  const { rows } = await client.query<EventRow>(
    `SELECT c.tenant_id, e.* FROM
       (SELECT tenant_id, tx, event_id FROM search_cursors ORDER BY tenant_id FOR UPDATE SKIP LOCKED) c
     CROSS JOIN LATERAL (
       SELECT b.*, lead(b.id) OVER (ORDER BY b.tx, b.id) IS NULL AS last, count(*) OVER () AS size FROM (
         SELECT tx, id, task_id, seq, at, type, CASE WHEN type IN ('task.created', 'task.updated', 'message.user', 'message.agent') THEN data END AS data
         FROM ui_events WHERE tenant_id = c.tenant_id AND (tx, id) > (c.tx, c.event_id)
           AND tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint ORDER BY tx, id LIMIT $1) b) e
     ORDER BY c.tenant_id, e.tx, e.id`,
    [batch],
  );
  const last = rows.filter((row) => row.last);
  if (last.length === 0) return { seen: 0, more: false };
  await insertTexts(client, rows, mask);
  await client.query(
    `UPDATE search_cursors c SET tx = p.tx, event_id = p.id
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS p(tenant_id, tx, id) WHERE c.tenant_id = p.tenant_id`,
    [last.map((row) => row.tenant_id), last.map(({ tx }) => String(tx)), last.map(({ id }) => String(id))],
  );
  return { seen: rows.length, more: last.some(({ size }) => size === BigInt(batch)) };
}

async function insertTexts(
  client: PoolClient,
  rows: readonly EventRow[],
  mask: (text: string) => string,
): Promise<void> {
  const texts = rows.flatMap((row) =>
    searchTextsOf(row.type, row.data).map(({ field, text }) => ({
      ...{ task_id: row.task_id, seq: row.seq, field, at: row.at.toISOString() },
      // The tenant is a lexeme as well: then one index answers, whoever asks.
      lexemes: [tenantLexeme(row.tenant_id), ...lexemesOf(mask(text))],
    })),
  );
  if (texts.length === 0) return;
  await client.query(
    `INSERT INTO search_texts (task_id, seq, field, at, lexemes)
     SELECT task_id, seq, field, at, array_to_tsvector(lexemes) FROM json_to_recordset($1::json)
       AS t(task_id text, seq int, field text, at timestamptz, lexemes text[]) ON CONFLICT DO NOTHING`,
    [JSON.stringify(texts)],
  );
}

/** No word has this form. */
export function tenantLexeme(tenantId: string): string {
  return `@${tenantId}`;
}

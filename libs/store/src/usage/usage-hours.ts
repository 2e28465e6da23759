/**
 * Adds usage up by hours, behind the steps, so that a report of a month reads sums and not each call. An hour is added up once, when nothing can be added to it
 * any more; reports take the calls themselves for what is not added up yet.
 */
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../database/transaction.js';

/** Hours that one transaction adds up at most. */
const HOURS_AT_ONCE = 24;
/** A call has the time at which its transaction began. None stays open for so long, and where the server tells, the oldest one that is open counts as well. */
const OPEN_FOR = `interval '10 minutes'`;

const SUMS = `calls, unpriced_calls, estimated_calls, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd`;

/** Adds up all hours that are over; gives whether there were any. Safe to run in several processes at once. */
export async function addUpUsage(pool: Pool): Promise<boolean> {
  let found = false;
  while (await inTransaction(pool, addUpSome)) found = true;
  return found;
}

/** Whether there may be more. */
async function addUpSome(client: PoolClient): Promise<boolean> {
  // One of a tenant's calls, because only there an index has them by their times.
  const { rows } = await client.query<{ from: Date | null; until: Date | null; end: Date }>(
    `SELECT date_trunc('hour', coalesce(until, (SELECT min(first.at) FROM tenants t CROSS JOIN LATERAL (
         SELECT at FROM usage_records u WHERE u.tenant_id = t.id ORDER BY at LIMIT 1) first))) AS "from", until,
       date_trunc('hour', least(now() - ${OPEN_FOR}, (SELECT min(xact_start) FROM pg_stat_activity WHERE datname = current_database()))) AS "end"
     FROM usage_seals FOR UPDATE`,
  );
  const [seal] = rows;
  if (seal?.from == null || seal.from >= seal.end) return false;
  const next = new Date(Math.min(seal.from.getTime() + HOURS_AT_ONCE * 3_600_000, seal.end.getTime()));
  await client.query(
    `WITH hours AS (
       INSERT INTO usage_hours (tenant_id, hour, root_id, agent, model, simulated, ${SUMS})
       SELECT t.id, date_trunc('hour', u.at), u.root_id, u.agent, u.model, u.simulated, count(*), count(*) FILTER (WHERE u.cost_nano_usd IS NULL),
         count(*) FILTER (WHERE u.estimated), sum(u.input_tokens), sum(u.output_tokens), sum(u.cache_read_tokens), sum(u.cache_write_5m_tokens),
         sum(u.cache_write_1h_tokens), coalesce(sum(u.cost_nano_usd), 0)
       FROM tenants t JOIN usage_records u ON u.tenant_id = t.id WHERE u.at >= $1 AND u.at < $2 GROUP BY 1, 2, 3, 4, 5, 6
       RETURNING *
     )
     INSERT INTO usage_tree_hours (tenant_id, hour, root_id, simulated, ${SUMS})
     SELECT tenant_id, hour, root_id, bool_or(simulated), sum(calls), sum(unpriced_calls), sum(estimated_calls), sum(input_tokens), sum(output_tokens),
       sum(cache_read_tokens), sum(cache_write_5m_tokens), sum(cache_write_1h_tokens), sum(cost_nano_usd)
     FROM hours GROUP BY 1, 2, 3`,
    [seal.from, next],
  );
  await client.query('UPDATE usage_seals SET until = $1', [next]);
  return true;
}

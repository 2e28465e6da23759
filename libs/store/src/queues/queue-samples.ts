/**
 * Samples of the queue: how it stood every ten seconds, for all tasks together (tenant '') and for each tenant with something to count.
 * Any process may try at any time; one of them takes the sample of a moment. So the cost depends neither on who looks nor on how many gateways
 * there are (docs/adr/0019).
 */
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../database/transaction.js';

/** How far samples are apart, in s. */
const SAMPLE_EVERY_S = 10;
const SAMPLE_LOCK = 7_300_000_003n;

/** Takes the sample of this moment, unless somebody has or does. True when it did. */
export async function sampleQueue(pool: Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    `SELECT FROM queue_samples WHERE at = date_bin($1::int * interval '1 s', now(), 'epoch') LIMIT 1`,
    [SAMPLE_EVERY_S],
  );
  return rowCount === 0 && takeSample(pool);
}

function takeSample(pool: Pool): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ at: Date; free: boolean }>(
      `SELECT date_bin($2::int * interval '1 s', now(), 'epoch') AS at, pg_try_advisory_xact_lock($1) AS free`,
      [SAMPLE_LOCK, SAMPLE_EVERY_S],
    );
    const [moment] = rows;
    if (!moment?.free) return false;
    const { rowCount } = await client.query('SELECT FROM queue_samples WHERE at = $1 LIMIT 1', [moment.at]);
    if (rowCount !== 0) return false;
    await insertSample(client, moment.at);
    if (moment.at.getUTCSeconds() === 0) await thinOut(client, moment.at);
    return true;
  });
}

/**
 * What stands still is counted from the backlog and from the tasks that have not ended; what came and went from the last minute, and how long it
 * took from the last hour, each along an index.
 */
export const FIGURES = `
  live AS (
    SELECT coalesce(tenant_id, '') AS tenant_id, count(*) FILTER (WHERE state = 'running')::int AS running,
      count(*) FILTER (WHERE state = 'waiting' AND wait_reason IN ('approval', 'answer', 'budget'))::int AS people,
      count(*) FILTER (WHERE state = 'waiting' AND wait_reason NOT IN ('approval', 'answer', 'budget'))::int AS waiting,
      count(*) FILTER (WHERE state = 'paused')::int AS paused
    FROM tasks WHERE state IN ('queued', 'running', 'waiting', 'paused') GROUP BY GROUPING SETS ((tenant_id), ())
  ), backlog AS (
    SELECT coalesce(tenant_id, '') AS tenant_id, count(*) FILTER (WHERE run_at <= now())::int AS ready,
      count(*) FILTER (WHERE run_at > now())::int AS later,
      (extract(epoch FROM now() - min(run_at) FILTER (WHERE run_at <= now())) * 1000)::bigint AS oldest_ready_ms
    FROM dispatches GROUP BY GROUPING SETS ((tenant_id), ())
  ), entered AS (
    SELECT coalesce(tenant_id, '') AS tenant_id, count(*)::int AS entered
    FROM tasks WHERE created_at > now() - interval '1 minute' AND imported IS NULL GROUP BY GROUPING SETS ((tenant_id), ())
  ), ended AS (
    SELECT coalesce(tenant_id, '') AS tenant_id, count(*)::int AS ended
    FROM tasks WHERE ended_at > now() - interval '1 minute' AND imported IS NULL GROUP BY GROUPING SETS ((tenant_id), ())
  )`;

/** The names of those CTEs. */
export const FIGURE_NAMES = ['live', 'backlog', 'entered', 'ended'] as const;

const MEASURED = `
  waits AS (
    SELECT coalesce(tenant_id, '') AS tenant_id, count(*)::int AS waits,
      percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (
        ORDER BY greatest(0, extract(epoch FROM started_at - coalesce(run_at, created_at)) * 1000)::bigint) AS wait_ms
    FROM tasks WHERE started_at > now() - interval '1 hour' GROUP BY GROUPING SETS ((tenant_id), ())
  ), runs AS (
    SELECT coalesce(tenant_id, '') AS tenant_id, count(*)::int AS runs,
      percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY active_ms) AS run_ms
    FROM tasks WHERE ended_at > now() - interval '1 hour' AND started_at IS NOT NULL GROUP BY GROUPING SETS ((tenant_id), ())
  )`;

/** These CTEs of figures by tenant, side by side. */
export function joined(...names: readonly string[]): string {
  const known = names.map((name) => `SELECT tenant_id FROM ${name}`).join(' UNION ');
  return [`(${known}) known`, ...names.map((name) => `LEFT JOIN ${name} USING (tenant_id)`)].join(' ');
}

async function insertSample(client: PoolClient, at: Date): Promise<void> {
  await client.query(
    `WITH ${FIGURES}, ${MEASURED}
     INSERT INTO queue_samples (at, tenant_id, ready, later, running, people, waiting, paused, entered, ended, oldest_ready_ms,
       waits, wait_ms, runs, run_ms, slots)
     SELECT $1, tenant_id, coalesce(ready, 0), coalesce(later, 0), coalesce(running, 0), coalesce(people, 0), coalesce(waiting, 0),
       coalesce(paused, 0), coalesce(entered, 0), coalesce(ended, 0), oldest_ready_ms, coalesce(waits, 0), wait_ms, coalesce(runs, 0), run_ms,
       CASE WHEN tenant_id = '' THEN (SELECT coalesce(sum(slots), 0) FROM workers
         WHERE stopped_at IS NULL AND seen_at > now() - interval '15 seconds') END
     FROM ${joined(...FIGURE_NAMES, 'waits', 'runs')}
     ON CONFLICT DO NOTHING`,
    [at],
  );
}

/** After an hour and a bit one sample a minute is enough, and after a week none. */
async function thinOut(client: PoolClient, at: Date): Promise<void> {
  await client.query(
    `DELETE FROM queue_samples WHERE at < $1::timestamptz - interval '7 days'
       OR at BETWEEN $1::timestamptz - interval '3 hours' AND $1::timestamptz - interval '65 minutes'
         AND at <> date_bin('1 minute', at, 'epoch')`,
    [at],
  );
  await client.query(`DELETE FROM repair_hours WHERE hour < $1::timestamptz - interval '2 days'`, [at]);
}

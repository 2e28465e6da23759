/** The tables as the judge reads them. */
import type { TaskState } from '@bullpen/contracts';
import type { createPool } from '@bullpen/store';
import type { BookedCall } from './bills.js';

type Pool = ReturnType<typeof createPool>;

export interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
  readonly output: string | null;
  readonly failure: string | null;
}

/** Every task with how it ended, in the order of their ids. */
export async function tasksOf(pool: Pool): Promise<readonly TaskRow[]> {
  const { rows } = await pool.query<TaskRow>(
    'SELECT id, title, state, output::text, failure::text FROM tasks ORDER BY id',
  );
  return rows;
}

/** Every model call with what was booked for it; `usage` and `price` are null where nothing was. */
export async function bookedCalls(pool: Pool): Promise<readonly BookedCall[]> {
  const { rows } = await pool.query<BookedCall>(`
    SELECT c.id, c.status, c.provider_request_id AS "requestId", coalesce(u.estimated, false) AS estimated,
      u.cost_nano_usd AS "costNanoUsd", u.price,
      CASE WHEN u.model_call_id IS NULL THEN NULL ELSE json_build_object(
        'inputTokens', u.input_tokens, 'outputTokens', u.output_tokens, 'cacheReadTokens', u.cache_read_tokens,
        'cacheWrite5mTokens', u.cache_write_5m_tokens, 'cacheWrite1hTokens', u.cache_write_1h_tokens) END AS usage
    FROM model_calls c LEFT JOIN usage_records u ON u.model_call_id = c.id ORDER BY c.id`);
  return rows;
}

export interface CommandRow {
  readonly command: string;
  readonly status: string;
  readonly output: string;
}

/** Every command that an agent asked for, with what came of it. */
export async function commandsOf(pool: Pool): Promise<readonly CommandRow[]> {
  const { rows } = await pool.query<CommandRow>(
    `SELECT coalesce(arguments ->> 'command', raw_arguments) AS command, status, coalesce(output, '') AS output FROM tool_calls WHERE tool = 'run_command'`,
  );
  return rows;
}

/** Money that is still held back for calls when nothing runs any more. */
export async function heldMoney(pool: Pool): Promise<string[]> {
  return lines(
    pool,
    `SELECT format('the account of %s still reserves %s', root_id, reserved_nano_usd) AS line FROM budget_accounts WHERE reserved_nano_usd <> 0
     UNION ALL
     SELECT format('model call %s is %s and still reserves %s', id, status, reserved_nano_usd) FROM model_calls
     WHERE status <> 'started' AND reserved_nano_usd <> 0`,
  );
}

/** A line for each task that still has a lease, and for each ended one that still has a wake; none when all is over. */
export async function liveLeases(pool: Pool): Promise<string[]> {
  return lines(
    pool,
    `SELECT format('task %s (%s) still has a lease', id, state) AS line FROM tasks WHERE lease_expires_at IS NOT NULL OR worker_id IS NOT NULL
     UNION ALL
     SELECT format('task %s has ended and still has a wake to be dispatched', d.task_id) FROM dispatches d JOIN tasks t ON t.id = d.task_id
     WHERE t.state IN ('completed', 'failed', 'cancelled')`,
  );
}

/** Children that outlived their parents. */
export async function orphanedChildren(pool: Pool): Promise<string[]> {
  return lines(
    pool,
    `SELECT format('task %s is %s, and its parent %s is %s', c.id, c.state, p.id, p.state) AS line
     FROM tasks c JOIN tasks p ON p.id = c.parent_id
     WHERE p.state IN ('completed', 'failed', 'cancelled') AND c.state NOT IN ('completed', 'failed', 'cancelled')`,
  );
}

async function lines(pool: Pool, sql: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(sql);
  return rows.map(({ line }) => line);
}

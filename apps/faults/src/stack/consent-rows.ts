/** What the books say about people: what was asked, what was answered, what the calls did, in which order. */
import type { InteractionAnswer, InteractionKind, Json, TaskState } from '@bullpen/contracts';
import type { createPool } from '@bullpen/store';

type Pool = ReturnType<typeof createPool>;

export interface AskRow {
  readonly id: string;
  readonly taskId: string;
  readonly kind: InteractionKind;
  readonly callId: string | null;
  readonly hash: string | null;
  readonly payload: Readonly<Record<string, Json>>;
  readonly answer: InteractionAnswer | null;
  readonly answeredBy: string | null;
  readonly withdrawn: boolean;
}

export interface GatedCall {
  readonly id: string;
  readonly taskId: string;
  readonly status: string;
  readonly arguments: Readonly<Record<string, Json>>;
  readonly approval: {
    readonly verdict: string;
    readonly by: string;
    readonly interactionId?: string;
    readonly hash?: string;
  } | null;
  readonly output: string;
}

export interface EventRow {
  readonly taskId: string;
  readonly type: string;
  readonly data: Readonly<Record<string, Json>>;
}

export interface AskingTask {
  readonly id: string;
  readonly title: string;
  readonly state: TaskState;
  readonly output: string;
  readonly wake: number;
}

export interface ConsentBooks {
  /** Oldest first. */
  readonly asks: readonly AskRow[];
  /** Calls of `run_command`. */
  readonly calls: readonly GatedCall[];
  /** Of each task in their order. */
  readonly events: readonly EventRow[];
  readonly tasks: readonly AskingTask[];
}

/** What people were asked and answered, the calls that needed it, and the events between, in one read each. */
export async function consentBooks(pool: Pool): Promise<ConsentBooks> {
  const [asks, calls, events, tasks] = await Promise.all([
    pool.query<AskRow>(
      `SELECT id, task_id AS "taskId", kind, tool_call_id AS "callId", arguments_hash AS hash, payload, answer, answered_by AS "answeredBy",
         withdrawn_at IS NOT NULL AS withdrawn FROM interactions ORDER BY created_at, id`,
    ),
    pool.query<GatedCall>(
      `SELECT id, task_id AS "taskId", status, coalesce(arguments, '{}') AS arguments, approval, coalesce(output, '') AS output
       FROM tool_calls WHERE tool = 'run_command'`,
    ),
    pool.query<EventRow>('SELECT task_id AS "taskId", type, data FROM ui_events ORDER BY task_id, seq'),
    pool.query<AskingTask>(`SELECT id, title, state, coalesce(output::text, '') AS output, wake FROM tasks`),
  ]);
  return { asks: asks.rows, calls: calls.rows, events: events.rows, tasks: tasks.rows };
}

/** Tasks that wait and hold something all the same. */
export async function waitingHolders(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT format('task %s waits for people and is held by %s', id, coalesce(worker_id, 'a lease')) AS line
     FROM tasks WHERE state = 'waiting' AND (worker_id IS NOT NULL OR lease_expires_at IS NOT NULL)`,
  );
  return rows.map(({ line }) => line);
}

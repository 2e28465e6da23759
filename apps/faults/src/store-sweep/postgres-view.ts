/** A tree of tasks as Postgres holds it, in the shape in which worlds are judged. */
import type { ContentBlock, DurableEventBody, StopCause, TaskState } from '@bullpen/contracts';
import type { StoredMessage } from '@bullpen/core';
import type { TaskView, WorldView } from '../sweep/backend.js';
import type { Pool } from './faulty-pool.js';

const TOKENS = `input_tokens AS "inputTokens", output_tokens AS "outputTokens", cache_read_tokens AS "cacheReadTokens",
  cache_write_5m_tokens AS "cacheWrite5mTokens", cache_write_1h_tokens AS "cacheWrite1hTokens", cost_nano_usd AS cost`;

interface Tokens {
  inputTokens: bigint;
  outputTokens: bigint;
  cacheReadTokens: bigint;
  cacheWrite5mTokens: bigint;
  cacheWrite1hTokens: bigint;
  cost: bigint;
}

interface TaskRow extends Tokens {
  id: string;
  parentId: string | null;
  state: TaskState;
  cause: StopCause | null;
  failure: string | null;
  epoch: number;
  wake: number;
  inboxPending: number;
}

interface MessageRow extends Omit<StoredMessage, 'content'> {
  taskId: string;
  content: ContentBlock[];
}

/** Reads a whole tree. */
export async function viewOfTree(pool: Pool, rootId: string): Promise<WorldView> {
  const read = async <R extends object>(sql: string): Promise<R[]> =>
    (await pool.query<R>(sql, [rootId])).rows;
  const ofTree = 'WHERE task_id IN (SELECT id FROM tasks WHERE root_id = $1)';
  const tasks = await read<TaskRow>(
    `SELECT id, parent_id AS "parentId", state, stop_cause AS cause, failure ->> 'code' AS failure, epoch, wake,
       inbox_pending AS "inboxPending", ${TOKENS} FROM tasks WHERE root_id = $1 ORDER BY depth, id`,
  );
  const messages = await read<MessageRow>(
    `SELECT task_id AS "taskId", id, seq, turn, role, content, stop_reason AS "stopReason" FROM api_messages ${ofTree} ORDER BY seq`,
  );
  const events = await read<{ taskId: string; type: string; data: unknown }>(
    `SELECT task_id AS "taskId", type, data FROM ui_events ${ofTree} ORDER BY seq`,
  );
  const calls = await read<TaskView['calls'][number] & { taskId: string }>(
    `SELECT task_id AS "taskId", id, tool, tool_use_id AS "toolUseId", status, is_error AS "isError", output FROM tool_calls ${ofTree}`,
  );
  const modelCalls = await read<TaskView['modelCalls'][number] & { taskId: string }>(
    `SELECT task_id AS "taskId", id, turn, status FROM model_calls ${ofTree}`,
  );
  const usage = await read<Tokens & { taskId: string; modelCallId: string }>(
    `SELECT task_id AS "taskId", model_call_id AS "modelCallId", ${TOKENS} FROM usage_records ${ofTree}`,
  );
  const accounts = await read<{ limit: bigint | null; spent: bigint; reserved: bigint }>(
    'SELECT limit_nano_usd AS "limit", spent_nano_usd AS spent, reserved_nano_usd AS reserved FROM budget_accounts WHERE root_id = $1',
  );
  const of = <R extends { taskId: string }>(rows: readonly R[], id: string) =>
    rows.filter(({ taskId }) => taskId === id);
  return {
    account: accounts[0] ?? { limit: null, spent: 0n, reserved: 0n },
    tasks: tasks.map((row) => ({
      ...row,
      usage: tokensOf(row),
      costNanoUsd: row.cost,
      messages: of(messages, row.id),
      // Event rows hold what the product wrote; their types are those of the contract.
      events: of(events, row.id) as unknown as DurableEventBody[],
      calls: of(calls, row.id),
      modelCalls: of(modelCalls, row.id),
      usageRows: of(usage, row.id).map((use) => ({
        modelCallId: use.modelCallId,
        usage: tokensOf(use),
        costNanoUsd: use.cost,
      })),
    })),
  };
}

function tokensOf(row: Tokens) {
  return {
    inputTokens: Number(row.inputTokens),
    outputTokens: Number(row.outputTokens),
    cacheReadTokens: Number(row.cacheReadTokens),
    cacheWrite5mTokens: Number(row.cacheWrite5mTokens),
    cacheWrite1hTokens: Number(row.cacheWrite1hTokens),
  };
}

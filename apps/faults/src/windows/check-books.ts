/** What must hold of the rows of a conversation that was made shorter. */
import type { ModelRequest, TaskStore } from '@bullpen/core';
import { checkInvariants } from '@bullpen/store';
import type { Pool } from '../store-sweep/faulty-pool.js';

interface Row {
  readonly turn: number;
  readonly kind: string;
  readonly call: string | null;
  readonly forced: string | null;
}

/** What is wrong with the rows of a task, dropped ones included. */
export async function oddBooks(pool: Pool, taskId: string): Promise<readonly string[]> {
  const { rows } = await pool.query<Row>(
    `SELECT turn, reduction ->> 'kind' AS kind, reduction ->> 'modelCallId' AS call, reduction ->> 'forcedBy' AS forced
     FROM api_messages WHERE task_id = $1 AND reduction IS NOT NULL ORDER BY seq`,
    [taskId],
  );
  const { rows: calls } = await pool.query<{
    id: string;
    phase: string;
    status: string;
    error: string | null;
  }>('SELECT id, phase, status::text, error_class AS error FROM model_calls WHERE task_id = $1', [taskId]);
  const paid = calls
    .filter(({ phase, status }) => phase === 'condense' && status === 'done')
    .map(({ id }) => id);
  const refused = calls.filter(({ phase, error }) => phase !== 'condense' && error === 'context');
  const forced = new Set(rows.flatMap((row) => row.forced ?? []));
  const again = rows.some(({ turn, kind, forced: by }, at) => {
    const next = rows[at + 1];
    return kind === 'condense' && next?.turn === turn && by === null && next.forced === null;
  });
  const reports = await checkInvariants(pool);
  return [
    ...(same(
      paid,
      rows.flatMap(({ call }) => call ?? []),
    )
      ? []
      : ['a summary was paid and has no row, or a row of its own twice']),
    ...(refused.length === forced.size
      ? []
      : ['a refusal was not answered by a row that makes the conversation shorter']),
    ...(again ? ['made shorter once more right after a summary'] : []),
    ...reports.flatMap(({ violations }) => violations),
  ];
}

function same(some: readonly string[], others: readonly string[]): boolean {
  return [...some].sort().join() === [...others].sort().join();
}

/** Masked outputs that cannot be read again by what stands in their place. */
export async function unreadable(
  store: TaskStore,
  taskId: string,
  sent: readonly ModelRequest['messages'][],
): Promise<readonly string[]> {
  const lines = JSON.stringify(sent).matchAll(/\\"callId\\": \\"([^"\\]+)\\"/g);
  const ids = [...new Set([...lines].map(([, id]) => id ?? ''))];
  const outputs = await Promise.all(ids.map((id) => store.storedOutput(taskId, id)));
  return outputs.every((output) => output?.startsWith('Part '))
    ? []
    : ['a masked output cannot be read again'];
}

/** What the list of a transcript shows: rows, some of them together. */
import type { Row, SubtaskRow, ToolRow } from '@bullpen/client';

export type Item =
  | { readonly kind: 'row'; readonly key: string; readonly rows: readonly [Row] }
  | { readonly kind: 'reads'; readonly key: string; readonly rows: readonly ToolRow[] }
  | { readonly kind: 'subtasks'; readonly key: string; readonly rows: readonly SubtaskRow[] }
  /** What a subtask asks; it is in none of this task's events. */
  | { readonly kind: 'ask'; readonly key: string; readonly taskTitle: string };

/** Tools that only look, and are done at once. */
const READS: readonly string[] = [
  'read_file',
  'list_files',
  'search_files',
  'read_tool_output',
  'search_code',
  'find_symbols',
  'trace_calls',
  'trace_dependencies',
];

/**
 * The rows with neighbours put together: calls that only looked at something, and subtasks that were spawned together. The key is that of
 * the last one: older rows that join must not make it another item, because the list holds on to what is being read.
 */
export function itemsOf(rows: readonly Row[]): Item[] {
  const items: Item[] = [];
  for (const row of rows) {
    const last = items.at(-1);
    const joined = last === undefined ? null : join(last, row);
    if (joined === null) items.push(itemOf(row));
    else items[items.length - 1] = joined;
  }
  return items;
}

function itemOf(row: Row): Item {
  if (row.kind === 'subtask') return { kind: 'subtasks', key: row.key, rows: [row] };
  return { kind: 'row', key: row.key, rows: [row] };
}

function join(last: Item, row: Row): Item | null {
  if (row.kind === 'subtask' && last.kind === 'subtasks')
    return { ...last, key: row.key, rows: [...last.rows, row] };
  if (!isRead(row) || last.kind === 'ask') return null;
  if (last.kind === 'reads') return { ...last, key: row.key, rows: [...last.rows, row] };
  const [first] = last.rows;
  if (last.kind !== 'row' || first === undefined || !isRead(first)) return null;
  return { kind: 'reads', key: row.key, rows: [first, row] };
}

function isRead(row: Row): row is ToolRow {
  return row.kind === 'tool' && row.state === 'done' && READS.includes(row.tool);
}

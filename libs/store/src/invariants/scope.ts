/** The same checks on a few trees: the tables that a check names are narrowed to their rows before it reads them. */

/** Tables whose rows belong to a task. Nothing that a check compares lies in another tree. */
const OF_TASKS = [
  'api_messages',
  'dispatches',
  'interactions',
  'model_calls',
  'tool_calls',
  'ui_events',
  'usage_records',
  'waits',
] as const;

/** Puts the narrowed tables before a query, under the names of the whole ones. `place`: of the parameter that holds the roots. */
export function withinTrees(query: string, place: number): string {
  return narrowed(query, [
    `tasks AS (SELECT * FROM tasks WHERE root_id = ANY ($${place}::text[]))`,
    `budget_accounts AS (SELECT * FROM budget_accounts WHERE root_id = ANY ($${place}::text[]))`,
    ...OF_TASKS.map(
      (table) => `${table} AS (SELECT * FROM ${table} WHERE task_id = ANY (array(SELECT id FROM tasks)))`,
    ),
    'wait_edges AS (SELECT * FROM wait_edges WHERE wait_id = ANY (array(SELECT id FROM waits)))',
  ]);
}

/** The same for everything but imported trees: what happened in them happened elsewhere, and nothing of it can be proved here. */
export function withoutImports(query: string): string {
  return narrowed(query, [
    'imported_tasks AS (SELECT id FROM tasks WHERE imported IS NOT NULL)',
    ...OF_TASKS.map(
      (table) =>
        `${table} AS NOT MATERIALIZED (SELECT * FROM ${table} WHERE task_id NOT IN (SELECT id FROM imported_tasks))`,
    ),
    'tasks AS NOT MATERIALIZED (SELECT * FROM tasks WHERE imported IS NULL)',
  ]);
}

function narrowed(query: string, tables: readonly string[]): string {
  return `WITH ${tables.join(', ')} SELECT * FROM (${query}) narrowed`;
}

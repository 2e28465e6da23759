/** Counts the rows that statements read, by Postgres's own account of how it ran each of them. */
import type { createPool } from '@bullpen/store';

type Pool = ReturnType<typeof createPool>;

/** A statement as it was run, nested ones of functions and triggers included. */
export interface Ran {
  readonly text: string;
  readonly rows: number;
}

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** From now on, new connections to the database of the pool are told how each of their statements was run. */
export async function explainAll(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
  const settings = {
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
    'auto_explain.log_level': 'notice',
  };
  for (const [key, value] of Object.entries(settings))
    await pool.query(`ALTER DATABASE "${rows[0]?.name}" SET ${key} = '${value}'`);
}

/** Gives what a pool's connections run to `onRan`; before the first connection. */
export function hearPlans(pool: Pool, onRan: (ran: Ran) => void): void {
  pool.on('connect', (client) => hear(client, onRan));
}

/** The same for every connection of this process that is opened from now on, whoever opens it. Gives what ends that. @param pool any pool of `pg` */
export function hearAllPlans(pool: Pool, onRan: (ran: Ran) => void): () => void {
  const { prototype } = (pool as unknown as { readonly Client: { readonly prototype: Connecting } }).Client;
  const { connect } = prototype;
  prototype.connect = function (...args) {
    hear(this, onRan);
    return connect.apply(this, args);
  };
  return () => (prototype.connect = connect);
}

interface Connecting extends Noticing {
  connect: (this: Connecting, ...args: unknown[]) => unknown;
}

interface Noticing {
  on(event: 'notice', listener: (notice: { readonly message?: string | undefined }) => void): unknown;
}

function hear(client: Noticing, onRan: (ran: Ran) => void): void {
  client.on('notice', ({ message = '' }) => {
    const plan = /^duration: .* plan:\n(.*)$/s.exec(message)?.[1];
    if (plan === undefined) return;
    const parsed = JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode };
    onRan({ text: parsed['Query Text'], rows: rowsOf(parsed.Plan) });
  });
}

/** All that passed through any node of the plan, and all that one looked at and left out. */
function rowsOf(node: PlanNode): number {
  const loops = node['Actual Loops'];
  const own =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Join Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), Math.round(own * loops));
}

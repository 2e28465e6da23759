/** The shape of a check over the tables, and how it is run. */
import type { InvariantReport } from '@bullpen/contracts';
import type { ClientBase } from 'pg';
import { withinTrees, withoutImports } from './scope.js';

/** One thing that must hold. */
export interface Check {
  /** Gives one number: how many rows the check looks at. */
  readonly counted: string;
  /** Gives a `violation` text, with ids, for each row that breaks it; no rows when it holds. */
  readonly violating: string;
  /** Parameters of `violating`. */
  readonly values?: readonly unknown[];
}

/** One invariant of the design: it holds when each of its checks does. */
export interface Invariant {
  readonly id: string;
  readonly title: string;
  readonly checks: readonly Check[];
}

const MAX_EXAMPLES = 10;
/** Checking millions of rows takes longer than any statement of the product may. */
const CHECK_TIMEOUT_MS = 600_000;

/** Checks one invariant on a connection, in whatever transaction that is in; on the trees of these roots only, or (null) on all. */
export async function reportOn(
  client: ClientBase,
  invariant: Invariant,
  roots: readonly string[] | null,
): Promise<InvariantReport> {
  let checked = 0;
  const violations: string[] = [];
  // One connection does one statement at a time.
  for (const { counted, violating, values = [] } of invariant.checks) {
    const count = await query<{ count: bigint | string }>(client, counted, [], roots);
    checked += Number(count[0]?.count ?? 0);
    const room = MAX_EXAMPLES - violations.length;
    if (room <= 0) continue;
    const examples = await query<{ violation: string }>(client, `${violating} LIMIT ${room}`, values, roots);
    violations.push(...examples.map(({ violation }) => violation));
  }
  const { id, title } = invariant;
  return { id, title, holds: violations.length === 0, checked, violations };
}

async function query<R extends object>(
  client: ClientBase,
  text: string,
  values: readonly unknown[],
  roots: readonly string[] | null,
): Promise<R[]> {
  const asked =
    roots === null
      ? { text: withoutImports(text), values: [...values] }
      : { text: withinTrees(text, values.length + 1), values: [...values, roots] };
  const config = { ...asked, query_timeout: CHECK_TIMEOUT_MS };
  return (await client.query<R>(config)).rows;
}

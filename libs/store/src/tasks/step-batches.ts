/** The usual steps of the tasks of one process: those that are asked for at the same moment share a statement and a commit. */
import type { Lease, Step } from '@bullpen/core';
import type { Pool } from 'pg';
import { Gather } from '../database/gather.js';
import { wasRefused } from '../database/pool.js';
import { prepared } from '../steps/sql.js';
import type { StepRow, StoredRow } from './step-rows.js';
import { ROW_LISTS, usualValues } from './step-statement.js';

/** One batch is made ready while the server works on the other. */
const LANES = 2;
const MOST = 64;
/** Characters of a step's rows. Longer ones go alone: small steps wait for no large one, and no statement grows without bounds. */
const SHARED_MOST = 100_000;
/** Numbers begin anew before they outgrow their column; nobody remembers the first ones by then. */
const NUMBERS = 1_000_000_000;

interface Member {
  /** Tasks of one tree pay from one account: in two batches at the same time, one of them would find it held. */
  readonly rootId: string;
  readonly number: number;
  readonly values: readonly unknown[];
}

/** What became of a member. Left out: nothing of it was stored, and the batch does not know why. */
type Fate = { readonly row: StepRow | undefined } | 'left out';

/**
 * A batch only stores. What it leaves out (the lease is lost, the account has no room, somebody holds the row, the server refuses a value of one) is asked again
 * alone: so each refusal comes from one place and says exactly why.
 */
export class StepBatches {
  private readonly gather = new Gather<Member, Fate>({
    work: (batch) => this.commit(batch),
    lanes: LANES,
    most: MOST,
    keyOf: ({ rootId }) => rootId,
  });
  private asked = 0;

  constructor(private readonly pool: Pool) {}

  /** What the statement says of the step. Rejects as a statement of its own would, and then it may have been stored or not. */
  async store(rootId: string, lease: Lease, step: Step): Promise<StepRow | undefined> {
    const number = (this.asked = (this.asked % NUMBERS) + 1);
    const member = { rootId, number, values: usualValues(lease, step, number) };
    const fate = sizeOf(member) > SHARED_MOST ? 'left out' : await this.gather.ask(member);
    return fate === 'left out' ? this.alone(member) : fate.row;
  }

  private async commit(batch: readonly Member[]): Promise<readonly Fate[]> {
    const [first] = batch;
    // The form for many takes an eighth longer for one.
    if (batch.length === 1 && first) return [{ row: await this.alone(first) }];
    try {
      const statement = prepared('commit-steps', columnsOf(batch));
      const { rows } = await this.pool.query<StoredRow & { number: number }>(statement);
      const stored = new Map(rows.map((row) => [row.number, row]));
      return batch.map(({ number }) => {
        const row = stored.get(number);
        return row ? { row } : 'left out';
      });
    } catch (error) {
      // For the value of one the server has undone all. After any other error nobody knows what was stored.
      if (!wasRefused(error)) throw error;
      return batch.map(() => 'left out');
    }
  }

  private async alone({ values }: Member): Promise<StepRow | undefined> {
    const { rows } = await this.pool.query<StepRow>(prepared('commit-step-lean', [...values]));
    return rows[0];
  }
}

function sizeOf({ values }: Member): number {
  return [...ROW_LISTS].reduce((size, at) => size + (values[at] as string).length, 0);
}

/** The parameters of all as those of one statement: lists of rows as one list, of everything else an array. */
function columnsOf(batch: readonly Member[]): unknown[] {
  const [first] = batch;
  return (first?.values ?? []).map((_, at) => {
    const column = batch.map(({ values }) => values[at]);
    return ROW_LISTS.has(at) ? joined(column as string[]) : column;
  });
}

/** JSON lists as one. */
function joined(lists: readonly string[]): string {
  const rows = lists.filter((list) => list !== '[]').map((list) => list.slice(1, -1));
  return `[${rows.join()}]`;
}

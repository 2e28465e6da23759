/**
 * An endless walk through a table: one slice per step, along a key, starting over after the last row. For things that are hardly
 * ever wrong and that no index can find: a step costs the same however long the table is, and the next walk past a row is at most
 * (rows / slice) steps away.
 */
import type { Pool } from 'pg';
import { prepared, type StepStatement } from '../steps/sql.js';

/** Rows of a slice. */
const SLICE = 100;

/** Each row of a walking statement: where the next slice starts (null: at the beginning again), and what was found, if anything. */
interface Found {
  readonly next: readonly string[] | null;
  readonly id: string | null;
}

export class Walk<Row extends { readonly id: string }> {
  #after: readonly string[];

  /** `start` comes before every key of the table. The statement takes the place and then the size of a slice. */
  constructor(
    private readonly pool: Pool,
    private readonly statement: StepStatement,
    private readonly start: readonly string[],
    private readonly slice = SLICE,
  ) {
    this.#after = start;
  }

  /** Takes the next slice; returns what was found there. When it fails, the next step takes the same slice. */
  async step(): Promise<Row[]> {
    const { rows } = await this.pool.query<Found>(prepared(this.statement, [...this.#after, this.slice]));
    this.#after = rows[0]?.next ?? this.start;
    return rows.filter(({ id }) => id !== null) as unknown as Row[];
  }
}

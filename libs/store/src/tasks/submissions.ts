/** Roots that come together share one statement and one commit; one that the server refuses loses only its own part. */
import type { Pool } from 'pg';
import { SHARED, SHARED_CHARS } from '../database/gather.js';
import { SharedWork } from '../database/shared-work.js';
import { takenOver } from '../requests/idempotency.js';
import { createRoots, type Born, type RootRow } from './birth.js';
import { tell, type OnCommitted } from './changes.js';

export interface SubmissionsOptions {
  readonly pool: Pool;
  readonly onCommitted?: OnCommitted;
}

export class Submissions {
  private readonly shared: SharedWork<RootRow, Born | null>;
  private readonly alone: SharedWork<RootRow, Born | null>;

  constructor(private readonly options: SubmissionsOptions) {
    const work = (rows: readonly RootRow[]) => this.store(rows);
    this.shared = new SharedWork({ work, ...SHARED });
    this.alone = new SharedWork({ work, ...SHARED, most: 1 });
  }

  /**
   * Stores a root and tells of it. An error that leaves the outcome unknown is that of all that shared the statement. Throws
   * `idempotency_in_flight` when its claim was taken over.
   */
  async create(row: RootRow): Promise<Born> {
    return (await (row.json.length > SHARED_CHARS ? this.alone : this.shared).ask(row)) ?? takenOver();
  }

  private async store(rows: readonly RootRow[]): Promise<(Born | null)[]> {
    const { pool, onCommitted } = this.options;
    const born = await createRoots(pool, rows);
    tell(
      onCommitted,
      born.flatMap((one) => one?.changes ?? []),
    );
    return born;
  }
}

/** Roots that come together share one statement and one commit; one that the server refuses loses only its own part. */
import type { Pool } from 'pg';
import { Gather } from '../database/gather.js';
import { togetherOrAlone } from '../database/together-or-alone.js';
import { createRoots, type Born, type RootRow } from './birth.js';
import { tell, type OnCommitted } from './changes.js';

/** While one batch waits for its commit, the next one is put together. */
const LANES = 2;
const MOST = 64;
/** Characters of a row. Longer ones go alone: small tasks wait for no large one, and no statement grows without bounds. */
const SHARED_MOST = 100_000;

export interface SubmissionsOptions {
  readonly pool: Pool;
  readonly onCommitted?: OnCommitted;
}

type Stored = PromiseSettledResult<Born>;

export class Submissions {
  private readonly shared: Gather<RootRow, Stored>;
  private readonly alone: Gather<RootRow, Stored>;

  constructor(private readonly options: SubmissionsOptions) {
    const work = (batch: readonly RootRow[]) => togetherOrAlone(batch, (rows) => this.store(rows));
    this.shared = new Gather({ work, lanes: LANES, most: MOST });
    this.alone = new Gather({ work, lanes: LANES, most: 1 });
  }

  /** Stores a root and tells of it. An error that leaves the outcome unknown is that of all that shared the statement. */
  async create(row: RootRow): Promise<Born> {
    const stored = await (row.json.length > SHARED_MOST ? this.alone : this.shared).ask(row);
    if (stored.status === 'rejected') throw stored.reason;
    return stored.value;
  }

  private async store(rows: readonly RootRow[]): Promise<Born[]> {
    const { pool, onCommitted } = this.options;
    const born = await createRoots(pool, rows);
    tell(
      onCommitted,
      born.flatMap(({ changes }) => changes),
    );
    return born;
  }
}

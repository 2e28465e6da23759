/**
 * What a crash can leave behind, and its repair. Level-triggered and idempotent: each function looks at what is, mends it in one
 * statement, and says how much there was to mend. Only one process runs them (see the queue library's leader lock).
 */
import type { Pool } from 'pg';
import type { CommitEffects } from './effects.js';
import { prepared } from './steps/sql.js';

export interface ReconcilerOptions {
  readonly pool: Pool;
  /** Called after each commit; must not throw. */
  readonly onCommitted: (effects: CommitEffects) => void;
}

/** Rows that one pass mends at most; the next pass follows within seconds. */
const BATCH = 500;

interface Moved {
  id: string;
  root_id: string;
  tenant_id: string;
  event_seq: number;
  wake: number;
  lost?: boolean;
}

export class StoreReconciler {
  constructor(private readonly options: ReconcilerOptions) {}

  /** Queues tasks whose lease has run out. Gives how many. */
  async expireLeases(): Promise<number> {
    const { rows } = await this.options.pool.query<Moved>(prepared('expire-leases', [BATCH]));
    this.tell(rows);
    return rows.length;
  }

  /** Queues tasks whose wait is over by time; gives only the number of wakes that had been lost, for time is no repair. */
  async fireDueWaits(): Promise<number> {
    const { rows } = await this.options.pool.query<Moved>(prepared('fire-due-waits', [BATCH]));
    this.tell(rows);
    return rows.filter(({ lost }) => lost === true).length;
  }

  /** Closes edges that an ended child left open. */
  async healEdges(): Promise<number> {
    return (await this.options.pool.query(prepared('heal-edges', [BATCH]))).rowCount ?? 0;
  }

  /** Gives queued tasks the dispatch row that they lack. */
  async healDispatches(): Promise<number> {
    return (await this.options.pool.query(prepared('heal-dispatches', [BATCH]))).rowCount ?? 0;
  }

  /** Adds to the counters that people see. */
  async countRepairs(kind: string, count: number): Promise<void> {
    await this.options.pool.query(prepared('count-repairs', [kind, count]));
  }

  private tell(moved: readonly Moved[]): void {
    if (moved.length === 0) return;
    this.options.onCommitted({
      wakes: moved.map(({ id, wake }) => ({ taskId: id, wake })),
      rows: moved.map((row) => ({
        tenantId: row.tenant_id,
        rootId: row.root_id,
        taskId: row.id,
        seq: row.event_seq,
      })),
      cancels: [],
    });
  }
}

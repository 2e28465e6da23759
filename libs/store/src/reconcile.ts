/**
 * What a crash can leave behind, and its repair. Level-triggered and idempotent: each function looks at what is, mends it in one
 * statement, and says how much there was to mend. Only one process runs them (see the queue library's leader lock).
 */
import type { Pool } from 'pg';
import { expireInteractions, wakeBudgetWaits } from './answering.js';
import { endOverdue } from './overdue.js';
import type { CommitEffects } from './effects.js';
import { wakeProviderWaits } from './provider-waits.js';
import { prepared } from './steps/sql.js';

export interface ReconcilerOptions {
  readonly pool: Pool;
  /** Called after each commit; must not throw. */
  readonly onCommitted: (effects: CommitEffects) => void;
  /** How long a task has to begin its summing up at its deadline, in ms. @defaultValue one minute */
  readonly sumUpMs?: number;
  /** How long leases last, in ms. @defaultValue 15,000 */
  readonly leaseMs?: number;
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
  woken?: boolean;
}

export class StoreReconciler {
  constructor(private readonly options: ReconcilerOptions) {}

  /** Queues tasks whose lease has run out. Gives how many. */
  async expireLeases(): Promise<number> {
    const halfLease = Math.round((this.options.leaseMs ?? 15_000) / 2);
    const { rows } = await this.options.pool.query<Moved>(prepared('expire-leases', [BATCH, halfLease]));
    this.tell(rows);
    return rows.length;
  }

  /** Queues tasks whose wait is over by time; gives only the number of wakes that had been lost, for time is no repair. */
  async fireDueWaits(): Promise<number> {
    const { rows } = await this.options.pool.query<Moved>(prepared('fire-due-waits', [BATCH]));
    this.tell(rows);
    return rows.filter(({ lost }) => lost === true).length;
  }

  /** Queues tasks that wait for a provider key that is mended, or that living workers have replaced. No repair: gives 0. */
  async wakeProviderWaits(): Promise<number> {
    await wakeProviderWaits(this.options, BATCH);
    return 0;
  }

  /** Queues tasks that ask for money which their tree was given meanwhile. No repair: gives 0. */
  async wakeBudgetWaits(): Promise<number> {
    this.tell(await wakeBudgetWaits(this.options.pool, null));
    return 0;
  }

  /** Ends tasks whose deadline has passed, or tells them to sum up. Time is no repair: gives 0. */
  async endOverdue(): Promise<number> {
    await endOverdue(this.options, BATCH);
    return 0;
  }

  /** Answers by default what nobody answered in time. Time is no repair: gives 0. */
  async expireInteractions(): Promise<number> {
    this.tell(await expireInteractions(this.options.pool, BATCH));
    return 0;
  }

  /** Closes edges that an ended child left open. */
  async healEdges(): Promise<number> {
    return (await this.options.pool.query(prepared('heal-edges', [BATCH]))).rowCount ?? 0;
  }

  /** Gives queued tasks the dispatch row that they lack. */
  async healDispatches(): Promise<number> {
    return (await this.options.pool.query(prepared('heal-dispatches', [BATCH]))).rowCount ?? 0;
  }

  /** Wakes that are still at least `fromMs` away, those that are due first; at most `limit`. */
  async laterWakes(
    fromMs: number,
    limit: number,
  ): Promise<{ taskId: string; wake: number; dueInMs: number }[]> {
    const { rows } = await this.options.pool.query<{ task_id: string; wake: number; due_in_ms: string }>(
      prepared('later-wakes', [Math.round(fromMs), limit]),
    );
    return rows.map((row) => ({ taskId: row.task_id, wake: row.wake, dueInMs: Number(row.due_in_ms) }));
  }

  /** Adds to the counters that people see. */
  async countRepairs(kind: string, count: number): Promise<void> {
    await this.options.pool.query(prepared('count-repairs', [kind, count]));
  }

  private tell(moved: readonly Moved[]): void {
    if (moved.length === 0) return;
    this.options.onCommitted({
      wakes: moved.flatMap(({ id, wake, woken }) => (woken === false ? [] : [{ taskId: id, wake }])),
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

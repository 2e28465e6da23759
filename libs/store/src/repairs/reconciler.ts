/**
 * What a crash can leave behind, and its repair. Level-triggered and idempotent: each function looks at the current state, repairs
 * it in one statement, and says how much there was to repair. Only one process runs them (see the queue library's leader lock).
 *
 * None of them reads more than what is due: they use indexes that hold nothing else. Where there is no such index, because only a
 * broken rule would fill it, they walk: one slice per call.
 */
import type { LaterWake } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import type { Pool } from 'pg';
import { expireInteractions, wakeBudgetWaits } from '../interactions/answers.js';
import { endOverdue } from '../tasks/deadlines.js';
import { tell, type Change, type OnCommitted } from '../tasks/changes.js';
import { wakeProviderWaits } from '../providers/provider-waits.js';
import { ProcessStore } from '../processes/processes.js';
import { prepared } from '../steps/sql.js';
import { Walk } from './walk.js';

export interface ReconcilerOptions {
  readonly pool: Pool;
  readonly onCommitted: OnCommitted;
  /** How long a task may take to start summing up at its deadline, in ms. @defaultValue one minute */
  readonly sumUpMs?: number;
  /** How long leases last, in ms. @defaultValue 15,000 */
  readonly leaseMs?: number;
  /** Rows that one call walks past, where there is no index. @defaultValue 100 */
  readonly slice?: number;
}

/** Rows that one pass repairs at most; the next pass follows within seconds. */
const BATCH = 500;

export class StoreReconciler {
  readonly #waiting: Walk<Change>;
  readonly #edges: Walk<{ id: string }>;
  readonly #queued: Walk<{ id: string }>;
  readonly #unpaid: Walk<{ id: string }>;
  readonly #processes: ProcessStore;

  constructor(private readonly options: ReconcilerOptions) {
    const { pool, slice, onCommitted } = options;
    this.#processes = new ProcessStore({ pool, newId, onCommitted });
    this.#waiting = new Walk(pool, 'heal-wakes', [''], slice);
    this.#edges = new Walk(pool, 'heal-edges', ['', ''], slice);
    this.#queued = new Walk(pool, 'heal-dispatches', [''], slice);
    this.#unpaid = new Walk(pool, 'raised-budgets', ['', ''], slice);
  }

  /**
   * Names the jobs of the leader that may find something: one question instead of one from each of them. The wakes that were announced
   * `unclaimedMs` ago count, and those that are due in more than `shownFromMs`.
   */
  async jobsWithWork(unclaimedMs: number, shownFromMs: number): Promise<ReadonlySet<string>> {
    const look = prepared('look-for-work', [Math.round(unclaimedMs), Math.round(shownFromMs)]);
    const { rows } = await this.options.pool.query<{ due: string[] }>(look);
    return new Set(rows[0]?.due);
  }

  /** Queues tasks whose lease has run out. Returns how many. */
  async expireLeases(): Promise<number> {
    const halfLease = Math.round((this.options.leaseMs ?? 15_000) / 2);
    const { rows } = await this.options.pool.query<Change>(prepared('expire-leases', [BATCH, halfLease]));
    this.tell(rows);
    return rows.length;
  }

  /** Queues tasks whose wait is over by time. Not a repair: returns 0. */
  async fireDueWaits(): Promise<number> {
    const { rows } = await this.options.pool.query<Change>(prepared('fire-due-waits', [BATCH]));
    this.tell(rows);
    return 0;
  }

  /** Queues tasks that still wait although their wait is over. Walks through those that wait. */
  async healWakes(): Promise<number> {
    const moved = await this.#waiting.step();
    this.tell(moved);
    return moved.length;
  }

  /** Queues tasks that wait for a provider key that has been fixed, or that live workers have replaced. Not a repair: returns 0. */
  async wakeProviderWaits(): Promise<number> {
    await wakeProviderWaits(this.options, BATCH);
    return 0;
  }

  /**
   * Queues tasks that ask for money which their tree was given meanwhile. Raising a budget queues them at once; this is for those
   * that were locked by somebody else then. Walks through the open requests. Not a repair: returns 0.
   */
  async wakeBudgetWaits(): Promise<number> {
    for (const { id } of await this.#unpaid.step()) this.tell(await wakeBudgetWaits(this.options.pool, id));
    return 0;
  }

  /** Ends tasks whose deadline has passed, or tells them to sum up. Not a repair: returns 0. */
  async endOverdue(): Promise<number> {
    await endOverdue(this.options, BATCH);
    return 0;
  }

  /** Answers by default what nobody answered in time. Not a repair: returns 0. */
  async expireInteractions(): Promise<number> {
    await expireInteractions(this.options, BATCH);
    return 0;
  }

  /** Closes edges that an ended child left open; a wait that this completes falls due. Walks through open edges. */
  async healEdges(): Promise<number> {
    return (await this.#edges.step()).length;
  }

  /** Gives queued tasks the dispatch row that they lack. Walks through what is queued. */
  async healDispatches(): Promise<number> {
    return (await this.#queued.step()).length;
  }

  /** Ends the rows of processes that nobody looks after any more, and tells their agents. Returns how many. */
  async endLostProcesses(): Promise<number> {
    return this.#processes.endLost(BATCH);
  }

  /** Wakes that are still at least `fromMs` away, those that are due first; at most `limit`. */
  async laterWakes(fromMs: number, limit: number): Promise<LaterWake[]> {
    const values = [Math.round(fromMs), limit];
    return (await this.options.pool.query<LaterWake>(prepared('later-wakes', values))).rows;
  }

  /** Adds to the counters that people see. */
  async countRepairs(kind: string, count: number): Promise<void> {
    await this.options.pool.query(prepared('count-repairs', [kind, count]));
  }

  private tell(changes: readonly Change[]): void {
    tell(this.options.onCommitted, changes);
  }
}

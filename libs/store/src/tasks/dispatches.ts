/**
 * The backlog: wakes that no worker has claimed yet. Which of them go to the queue, and when, is decided by one function in the
 * database, not in the memory of a process (docs/adr/0006).
 */
import type { AnnouncedWake, Wake } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { prepared } from '../steps/sql.js';

/** How many unclaimed wakes one look returns at most; the next look follows within seconds. */
const BATCH = 200;

export class Dispatches {
  constructor(private readonly pool: Pool) {}

  /**
   * One dispatch round: returns what should be announced now, in fair order, and counts it as announced. Nothing when there is no
   * room: announced and unclaimed are never more than the free slots, and a tenth on top for tasks that were woken before.
   * `fresh` are wakes that were just committed. Safe to call from any process at any time.
   */
  async admit(fresh: readonly Wake[]): Promise<AnnouncedWake[]> {
    return (await this.pool.query<AnnouncedWake>(prepared('admit-wakes', columnsOf(fresh)))).rows;
  }

  /** The queue did not take these in time: they are unclaimed for some seconds already, and still count as announced. */
  async refused(wakes: readonly Wake[]): Promise<void> {
    if (wakes.length > 0) await this.pool.query(prepared('refused-wakes', columnsOf(wakes)));
  }

  /** A worker took these and will not claim them: the next round announces them again, to workers that have room. */
  async returned(wakes: readonly Wake[]): Promise<void> {
    if (wakes.length > 0) await this.pool.query(prepared('returned-wakes', columnsOf(wakes)));
  }

  /** Records that wakes were announced again. A crash before this only makes one more, harmless announcement. */
  async repeated(wakes: readonly Wake[]): Promise<void> {
    if (wakes.length > 0) await this.pool.query(prepared('mark-announced', columnsOf(wakes)));
  }

  /** Wakes that were announced at least `unclaimedMs` ago and not claimed, oldest first; at most 200. The queue may have lost them. */
  async unclaimed(unclaimedMs: number): Promise<AnnouncedWake[]> {
    const values = [Math.round(unclaimedMs), BATCH];
    return (await this.pool.query<AnnouncedWake>(prepared('unclaimed-wakes', values))).rows;
  }
}

/** Ids and wake numbers as two arrays, which Postgres unnests. */
function columnsOf(wakes: readonly Wake[]): [string[], number[]] {
  return [wakes.map(({ taskId }) => taskId), wakes.map(({ wake }) => wake)];
}

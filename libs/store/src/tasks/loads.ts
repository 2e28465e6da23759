/** What runs begin with. Loads of tasks that run for the first time share a statement: their history is short. */
import type { Lease, TaskSnapshot } from '@bullpen/core';
import type { Pool } from 'pg';
import { SHARED } from '../database/gather.js';
import { SharedWork } from '../database/shared-work.js';
import { prepared } from '../steps/sql.js';
import { snapshotOf, type LoadedRow } from './task-rows.js';

export class Loads {
  private readonly firstRuns: SharedWork<Lease, LoadedRow | undefined>;

  constructor(private readonly pool: Pool) {
    this.firstRuns = new SharedWork({ work: (leases) => this.rowsOf(leases), ...SHARED });
  }

  /**
   * The stored state of a task; null when the lease is lost.
   *
   * @throws AppError `history_corrupt`, `row_unreadable`
   */
  async ask(lease: Lease): Promise<TaskSnapshot | null> {
    const row = lease.epoch === 1 ? await this.firstRuns.ask(lease) : (await this.rowsOf([lease]))[0];
    return row ? snapshotOf(row) : null;
  }

  private async rowsOf(leases: readonly Lease[]): Promise<(LoadedRow | undefined)[]> {
    const [first] = leases;
    const statement =
      leases.length === 1 && first
        ? prepared('load-task', [first.taskId, first.epoch])
        : prepared('load-tasks', [leases.map(({ taskId }) => taskId), leases.map(({ epoch }) => epoch)]);
    const { rows } = await this.pool.query<LoadedRow>(statement);
    const loaded = new Map(rows.map((row) => [row.task['id'], row]));
    return leases.map(({ taskId }) => loaded.get(taskId));
  }
}

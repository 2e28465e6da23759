/** Worker processes as people see them, and the renewal of their leases. */
import type { Pool } from 'pg';
import { prepared } from './steps/sql.js';

export interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly slots: number;
  readonly running: number;
  readonly version: string;
  readonly simulated: boolean;
  /** The provider key that it calls models with. */
  readonly providerKey: string;
}

/** Says that a worker lives (or has stopped). Information only: leases, not this row, decide who may write. */
export async function seeWorker(pool: Pool, worker: WorkerRow, stopped = false): Promise<void> {
  const { id, host, pid, slots, running, version, simulated, providerKey } = worker;
  const values = [id, host, pid, slots, running, version, simulated, stopped, providerKey];
  await pool.query(prepared('see-worker', values));
}

export interface HeldLease {
  readonly taskId: string;
  readonly epoch: number;
}

/**
 * Renews leases in one statement. Gives those that are still held; a lease that is missing from the answer is lost.
 * `stopRequested`: somebody cancelled or interrupted the task; its run must look at the row.
 */
export async function renewLeases(
  pool: Pick<Pool, 'query'>,
  workerId: string,
  leaseMs: number,
  held: readonly HeldLease[],
): Promise<readonly (HeldLease & { stopRequested: boolean })[]> {
  const { rows } = await pool.query<{ id: string; epoch: number; stop_requested: boolean }>(
    prepared('renew-leases', [
      workerId,
      leaseMs,
      held.map(({ taskId }) => taskId),
      held.map(({ epoch }) => epoch),
    ]),
  );
  return rows.map((row) => ({ taskId: row.id, epoch: row.epoch, stopRequested: row.stop_requested }));
}

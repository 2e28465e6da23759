/** Worker processes as people see them, and the renewal of their leases. */
import type { FlowState } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { prepared } from '../steps/sql.js';

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
  /** What holds the programs that agents start there. */
  readonly sandbox: string;
  /** Names its installation folder. */
  readonly home?: string;
  /** How long it keeps the workspaces of ended trees. @defaultValue until somebody removes them */
  readonly keepHours?: number | undefined;
}

/**
 * Records that a worker is alive (or has stopped), and gives whether it may take work. Leases, not this row, decide who may write. After more than
 * `gapMs` without a word it counts as seen anew.
 */
export async function seeWorker(
  pool: Pool,
  worker: WorkerRow,
  stopped = false,
  gapMs = 10_000,
): Promise<FlowState> {
  const { id, host, pid, slots, running, version, simulated, providerKey, sandbox, home, keepHours } = worker;
  const values = [
    id,
    host,
    pid,
    slots,
    running,
    version,
    simulated,
    stopped,
    providerKey,
    gapMs,
    sandbox,
    home ?? null,
    keepHours ?? null,
  ];
  const { rows } = await pool.query<{ flow: FlowState }>(prepared('see-worker', values));
  return rows[0]?.flow ?? 'open';
}

export interface ReconcilerRole {
  /** Some process has the role. */
  readonly held: boolean;
  /** Workers that were seen recently, any of which could take the role. */
  readonly workers: number;
}

/** Who leads is known by an advisory lock that lives with its connection. */
export async function reconcilerRole(pool: Pick<Pool, 'query'>): Promise<ReconcilerRole> {
  const { rows } = await pool.query<ReconcilerRole>(`
    SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE l.locktype = 'advisory' AND l.granted AND a.application_name = 'bullpen leader lock'
          AND a.datname = current_database()) AS held,
      (SELECT count(*)::int FROM workers WHERE stopped_at IS NULL AND seen_at > now() - interval '15 seconds') AS workers`);
  return rows[0] ?? { held: false, workers: 0 };
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

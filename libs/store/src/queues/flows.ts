/**
 * Whether the queue and its workers take work, as somebody decided it. The row decides: the dispatch round announces nothing against it,
 * and a claim against it finds nothing to take, whatever a process has in its memory (docs/adr/0019).
 */
import type { FlowState } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { inTransaction } from '../database/transaction.js';

/** The lock of dispatch rounds: no round is under way while the flow of the queue changes. */
const DISPATCH_LOCK = 7_300_000_002n;

export interface FlowChange {
  readonly state: FlowState;
  /** Who wants it: the name of a key. */
  readonly by: string;
  readonly reason: string | null;
}

export class Flows {
  constructor(private readonly pool: Pool) {}

  /**
   * Opens, drains or pauses the queue; false when there is none of this name. What was announced and not claimed goes back to the backlog, so that
   * nobody takes it for lost: when the queue is open again, a dispatch round announces it once more.
   */
  changeQueue(name: string, { state, by, reason }: FlowChange): Promise<boolean> {
    return inTransaction(this.pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [DISPATCH_LOCK]);
      const { rowCount } = await client.query(
        'UPDATE queue_flows SET state = $2, at = now(), by = $3, reason = $4 WHERE name = $1',
        [name, state, by, reason],
      );
      if (rowCount === 0) return false;
      await client.query(
        `UPDATE dispatches d SET announced_at = NULL FROM tasks t
         WHERE d.announced_at IS NOT NULL AND t.id = d.task_id
           AND ($1 = 'paused' OR $1 = 'draining' AND d.wake = 1 AND t.parent_id IS NULL)`,
        [state],
      );
      return true;
    });
  }

  /** Opens, drains or pauses a worker that has not stopped; false when there is none with this id. */
  async changeWorker(id: string, { state, by, reason }: FlowChange): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE workers SET flow = $2, flow_at = now(), flow_by = $3, flow_reason = $4 WHERE id = $1 AND stopped_at IS NULL`,
      [id, state, by, reason],
    );
    return rowCount !== 0;
  }

  /** What a worker may do now; open for one that is not known. */
  async ofWorker(id: string): Promise<FlowState> {
    const { rows } = await this.pool.query<{ flow: FlowState }>('SELECT flow FROM workers WHERE id = $1', [
      id,
    ]);
    return rows[0]?.flow ?? 'open';
  }
}

/** The rows of processes: what workers write down, what people ask for, and what is left when a worker is gone. */
import type { ProcessView } from '@bullpen/contracts';
import {
  processNotice,
  type LeftProcess,
  type Lease,
  type NewProcess,
  type ProcessEnd,
  type ProcessOrder,
  type ProcessRecords,
} from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { tell, type Change, type OnCommitted } from '../tasks/changes.js';
import { findProcess, listProcesses } from '../queries/processes.js';
import { prepared } from '../steps/sql.js';
import { eachAlone } from '../database/each-alone.js';
import { inTransaction } from '../database/transaction.js';

export interface ProcessStoreOptions {
  readonly pool: Pool;
  readonly newId: (prefix: 'inbox') => string;
  readonly onCommitted?: OnCommitted;
}

interface LeftRow {
  id: string;
  pid_space: string;
  anchor_pid: number | null;
  anchor_ticks: string | null;
  command: string;
  background: boolean;
  cause: string;
}

export class ProcessStore implements ProcessRecords {
  constructor(private readonly options: ProcessStoreOptions) {}

  async begin(process: NewProcess): Promise<boolean> {
    const { id, taskId, epoch, callId, workerId, host, pidSpace, command, background, limitMs } = process;
    const { rows } = await this.options.pool.query(
      prepared('begin-process', [
        ...[id, taskId, epoch, callId, workerId, host, pidSpace],
        ...[command, background, limitMs],
      ]),
    );
    return rows.length > 0;
  }

  async anchored(id: string, { pid, startTicks }: NonNullable<LeftProcess['anchor']>): Promise<void> {
    await this.options.pool.query('UPDATE processes SET anchor_pid = $2, anchor_ticks = $3 WHERE id = $1', [
      id,
      pid,
      startTicks,
    ]);
  }

  async toBackground(id: string, limitMs: number): Promise<void> {
    await this.options.pool.query('UPDATE processes SET background = true, limit_ms = $2 WHERE id = $1', [
      id,
      limitMs,
    ]);
  }

  /** The end and what the agent is told of it are one transaction: it hears of each end once. */
  async ended(id: string, end: ProcessEnd, notice: string | null): Promise<void> {
    const statement = endStatement(id, end);
    if (notice === null) {
      await this.options.pool.query(statement);
      return;
    }
    const { rows } = await this.options.pool.query<{ task_id: string }>(
      'SELECT task_id FROM processes WHERE id = $1',
      [id],
    );
    const taskId = rows[0]?.task_id;
    if (taskId === undefined) return;
    await this.tell(taskId, async (client) => {
      const { rowCount } = await client.query(statement);
      return rowCount === 1 ? [notice] : [];
    });
  }

  async report(
    running: readonly { readonly id: string; readonly outputBytes: number }[],
  ): Promise<ProcessOrder[]> {
    const { rows } = await this.options.pool.query<{
      id: string;
      over: ProcessOrder['over'];
      kill_requested_by: string | null;
      background_requested_by: string | null;
    }>(
      prepared('report-processes', [
        running.map(({ id }) => id),
        running.map(({ outputBytes }) => outputBytes),
      ]),
    );
    return rows.map((row) => ({
      id: row.id,
      over: row.over,
      killBy: row.kill_requested_by,
      backgroundBy: row.background_requested_by,
    }));
  }

  async takeOver({ taskId, epoch, workerId }: Lease): Promise<LeftProcess[]> {
    const { rows } = await this.options.pool.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM processes WHERE task_id = $1 AND state = 'running' AND worker_id <> $2) AS found`,
      [taskId, workerId],
    );
    if (!rows[0]?.found) return [];
    let left: LeftRow[] = [];
    await this.tell(taskId, async (client) => {
      left = (await client.query<LeftRow>(prepared('left-processes', [taskId, epoch, workerId]))).rows;
      return left.flatMap(({ id, command, background, cause }) =>
        background ? [processNotice({ id, command, end: cause })] : [],
      );
    });
    return left.map(({ id, pid_space: pidSpace, anchor_pid: pid, anchor_ticks: ticks }) => ({
      ...{ id, pidSpace },
      anchor: pid === null ? null : { pid, startTicks: Number(ticks) },
    }));
  }

  async list(taskId: string, limit: number): Promise<ProcessView[]> {
    return listProcesses(this.options.pool, { taskId, before: null, limit });
  }

  async find(taskId: string, id: string): Promise<ProcessView | null> {
    const found = await findProcess(this.options.pool, { id });
    return found?.process.taskId === taskId ? found.process : null;
  }

  /** Ends the rows of processes that nobody looks after any more, and tells their agents. Returns how many. */
  async endLost(most: number): Promise<number> {
    const { pool } = this.options;
    const { rows } = await pool.query<{ id: string; task_id: string; cause: string }>(
      prepared('lost-processes', [most]),
    );
    await eachAlone(rows, ({ id, task_id: taskId, cause }) => this.endLostOne(taskId, id, cause));
    return rows.length;
  }

  private async endLostOne(taskId: string, id: string, cause: string): Promise<void> {
    await this.tell(taskId, async (client) => {
      const { rows } = await client.query<{ background: boolean; command: string }>(
        `UPDATE processes SET state = 'lost', cause = $2, ended_at = now() WHERE id = $1 AND state = 'running' RETURNING background, command`,
        [id, cause],
      );
      return rows.flatMap(({ background, command }) =>
        background ? [processNotice({ id, command, end: cause })] : [],
      );
    });
  }

  /** Locks the task, lets `work` change rows of its processes, and puts what that gives into the inbox of the agent. */
  private async tell(taskId: string, work: (client: PoolClient) => Promise<string[]>): Promise<void> {
    const { pool, newId, onCommitted } = this.options;
    const changes = await inTransaction(pool, async (client) => {
      await client.query(prepared('lock-tasks', [[taskId]]));
      const heard: Change[] = [];
      for (const text of await work(client)) {
        const sent = await client.query<Change>(prepared('send-notice', [taskId, newId('inbox'), text]));
        heard.push(...sent.rows);
      }
      return heard;
    });
    tell(onCommitted, changes);
  }
}

function endStatement(id: string, { state, exitCode, signal, cause, outputBytes }: ProcessEnd) {
  return prepared('end-process', [id, state, exitCode, signal, cause, outputBytes]);
}

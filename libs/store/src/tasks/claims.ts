/** The claims of one process: those that are asked for at the same moment share a commit. */
import type { Lease } from '@bullpen/core';
import type { Pool } from 'pg';
import { Gather, SHARED } from '../database/gather.js';
import { fateOfOne, fatesOfMany, type Fate } from '../database/left-out.js';
import { prepared } from '../steps/sql.js';
import type { Change } from './changes.js';

interface Asked {
  readonly taskId: string;
  readonly wake: number;
  readonly workerId: string;
}

/** With the wake that was taken, as an older one of the same task may be asked for in the same batch. */
type Claimed = Change & { readonly epoch: number; readonly wake: number };

export class Claims {
  private readonly gather = new Gather<Asked, Fate<Claimed | undefined>>({
    work: (batch) => this.claim(batch),
    ...SHARED,
    kindOf: ({ workerId }) => workerId,
  });

  /** @param leaseMs how long a lease lasts without renewal, in ms */
  constructor(
    private readonly pool: Pool,
    private readonly leaseMs: number,
    private readonly tell: (changes: readonly Change[]) => void,
  ) {}

  /** The lease of the task; null when there is nothing to take, or nobody may. */
  async ask(asked: Asked): Promise<Lease | null> {
    const fate = await this.gather.ask(asked);
    const row = fate === 'left out' ? await this.alone(asked) : await fate.row;
    if (!row) return null;
    this.tell([row]);
    return { taskId: asked.taskId, epoch: row.epoch, workerId: asked.workerId };
  }

  private claim(batch: readonly Asked[]): Promise<readonly Fate<Claimed | undefined>[]> {
    const [first] = batch;
    if (batch.length === 1 && first) return fateOfOne(this.alone(first));
    const ids = batch.map(({ taskId }) => taskId);
    const wakes = batch.map(({ wake }) => wake);
    const rows = this.rows('claim-tasks', [ids, wakes, first?.workerId, this.leaseMs]);
    return fatesOfMany(batch, rows, {
      item: ({ taskId, wake }) => `${taskId} ${wake}`,
      row: ({ id, wake }) => `${id} ${wake}`,
    });
  }

  private async alone({ taskId, wake, workerId }: Asked): Promise<Claimed | undefined> {
    const [row] = await this.rows('claim-task', [taskId, wake, workerId, this.leaseMs]);
    return row;
  }

  private async rows(name: 'claim-task' | 'claim-tasks', values: unknown[]): Promise<readonly Claimed[]> {
    return (await this.pool.query<Claimed>(prepared(name, values))).rows;
  }
}

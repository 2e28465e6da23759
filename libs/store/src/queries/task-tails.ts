/** Tasks and their newest events, for streams: a task and what came after a place in one look, which those share that ask at the same moment. */
import type { TaskEvent, TaskState } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { Gather, SHARED } from '../database/gather.js';
import { prepared } from '../steps/sql.js';
import { taskEventOf, type EventRow } from './events.js';
import type { TaskRef } from './task-details.js';
import type { TaskHead } from './tasks.js';

/** A task, and events of it, of the same moment. */
export interface TaskTail {
  readonly head: TaskHead;
  readonly events: readonly TaskEvent[];
}

/** Few enough that a batch of full pages is no burden on the memory. */
const MOST = 16;

interface Asked {
  readonly task: TaskRef;
  readonly after: number;
  readonly most: number;
}

interface Row {
  readonly place: number;
  readonly taskId: string;
  readonly rootId: string;
  readonly state: TaskState;
  readonly eventSeq: number;
}

export class TaskTails {
  private readonly looks: Gather<Asked, TaskTail | null>;

  constructor(private readonly pool: Pool) {
    this.looks = new Gather({ work: (batch) => this.lookAt(batch), ...SHARED, most: MOST });
  }

  /** The task with its events after a sequence number, in order, at most so many; null when the tenant has none with this id. */
  look(task: TaskRef, after: number, most: number): Promise<TaskTail | null> {
    return this.looks.ask({ task, after, most });
  }

  private async lookAt(batch: readonly Asked[]): Promise<(TaskTail | null)[]> {
    const columns = [
      batch.map(({ task }) => task.tenantId),
      batch.map(({ task }) => task.taskId),
      batch.map(({ after }) => after),
      batch.map(({ most }) => most),
    ];
    const { rows } = await this.pool.query<Row & (EventRow | { readonly seq: null })>(
      prepared('read-tails', columns),
    );
    const tails = batch.map((): { head: TaskHead; events: TaskEvent[] } | null => null);
    for (const row of rows) {
      const { taskId: id, rootId, state, eventSeq } = row;
      const tail = (tails[row.place - 1] ??= { head: { id, rootId, state, eventSeq }, events: [] });
      if (row.seq !== null) tail.events.push(taskEventOf(row));
    }
    return tails;
  }
}

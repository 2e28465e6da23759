/** The usual steps and ends of the tasks of one process: those that are asked for at the same moment share a commit. */
import type { Lease, Step } from '@bullpen/core';
import type { Pool, QueryConfig } from 'pg';
import { Gather, SHARED, SHARED_CHARS } from '../database/gather.js';
import { fateOfOne, fatesOfMany, type Fate } from '../database/left-out.js';
import { prepared } from '../steps/sql.js';
import type { Change } from './changes.js';
import { endTogether, type Ending } from './end-batches.js';
import type { StepRow, StoredRow } from './step-rows.js';
import { ROW_LISTS, usualValues } from './step-statement.js';

/** Numbers begin anew before they outgrow their column; nobody remembers the first ones by then. */
const NUMBERS = 1_000_000_000;

interface Usual {
  readonly kind: 'usual';
  /** Tasks of one tree pay from one account: in two batches at the same time, one of them would find it held. */
  readonly rootId: string;
  readonly number: number;
  readonly values: readonly unknown[];
}

interface End extends Ending {
  readonly kind: 'end';
  readonly rootId: string;
}

type Member = Usual | End;

type Row = StepRow | undefined;

type NumberedRow = StoredRow & { readonly number: number };

/**
 * A batch of usual steps only stores. What it leaves out (the lease is lost, the account has no room, somebody holds the row, the server refuses a value of one) is asked again
 * alone: so each refusal comes from one place and says exactly why.
 */
export class StepBatches {
  private readonly gather = new Gather<Member, Fate<Row>>({
    work: (batch) => this.commit(batch),
    ...SHARED,
    keyOf: ({ rootId }) => rootId,
    kindOf: ({ kind }) => kind,
  });
  private asked = 0;

  constructor(
    private readonly pool: Pool,
    private readonly tell: (changes: readonly Change[]) => void,
  ) {}

  /** What the statement says of the step. Rejects as a statement of its own would, and then it may have been stored or not. */
  async store(rootId: string, lease: Lease, step: Step): Promise<Row> {
    const number = (this.asked = (this.asked % NUMBERS) + 1);
    const member: Usual = { kind: 'usual', rootId, number, values: usualValues(lease, step, number) };
    const fate = sizeOf(member.values) > SHARED_CHARS ? 'left out' : await this.gather.ask(member);
    return fate === 'left out' ? this.alone(member) : fate.row;
  }

  /** What `statement` says, which ends a task that has no subtasks. Where it is left out, nothing of the end was stored. */
  async end(rootId: string, taskId: string, statement: QueryConfig): Promise<{ row: Row } | 'left out'> {
    if (sizeOf(statement.values ?? []) > SHARED_CHARS) return 'left out';
    const fate = await this.gather.ask({ kind: 'end', rootId, taskId, statement });
    return fate === 'left out' ? fate : { row: await fate.row };
  }

  private commit(batch: readonly Member[]): Promise<readonly Fate<Row>[]> {
    const ends = batch.flatMap((member) => (member.kind === 'end' ? [member] : []));
    const usual = batch.flatMap((member) => (member.kind === 'usual' ? [member] : []));
    return ends.length > 0 ? this.endAll(ends) : this.storeAll(usual);
  }

  private async endAll(ends: readonly End[]): Promise<readonly Fate<Row>[]> {
    const ended = await endTogether(this.pool, ends);
    if (ended === null) return ends.map(() => 'left out');
    this.tell(ended.parents);
    return ended.rows.map((row) => ({ row }));
  }

  private storeAll(batch: readonly Usual[]): Promise<readonly Fate<Row>[]> {
    const [first] = batch;
    if (batch.length === 1 && first) return fateOfOne(this.alone(first));
    const stored = this.rowsOf(prepared('commit-steps', columnsOf(batch)));
    return fatesOfMany<Usual, NumberedRow>(batch, stored, { item: numberOf, row: numberOf });
  }

  private async rowsOf(statement: QueryConfig): Promise<readonly NumberedRow[]> {
    return (await this.pool.query<NumberedRow>(statement)).rows;
  }

  private async alone({ values }: Usual): Promise<Row> {
    const { rows } = await this.pool.query<StepRow>(prepared('commit-step-lean', [...values]));
    return rows[0];
  }
}

const numberOf = ({ number }: { readonly number: number }) => number;

function sizeOf(values: readonly unknown[]): number {
  return [...ROW_LISTS].reduce((size, at) => size + (values[at] as string).length, 0);
}

/** The parameters of all as those of one statement: lists of rows as one list, of everything else an array. */
function columnsOf(batch: readonly Usual[]): unknown[] {
  const [first] = batch;
  return (first?.values ?? []).map((_, at) => {
    const column = batch.map(({ values }) => values[at]);
    return ROW_LISTS.has(at) ? joined(column as string[]) : column;
  });
}

/** JSON lists as one. */
function joined(lists: readonly string[]): string {
  const rows = lists.filter((list) => list !== '[]').map((list) => list.slice(1, -1));
  return `[${rows.join()}]`;
}

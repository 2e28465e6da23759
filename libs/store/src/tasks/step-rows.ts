/** What the statements of a step return. */
import { requiresEmptyInbox, type CommitResult, type Step } from '@bullpen/core';
import type { Autonomy, TaskState } from '@bullpen/contracts';

/** The row that `commit-step.sql` returns; none when the fence did not match. */
export type StepRow = StoredRow | RefusedRow;

/** What the task says after its step. */
export interface StoredRow {
  stored: true;
  root_id: string;
  tenant_id: string;
  wake: number;
  state: TaskState;
  event_seq: number;
  cancel_requested: boolean;
  pause_requested: boolean;
  interrupted: boolean;
  rollback: boolean;
  /** A cancel or a pause was there before this step. */
  stopping: boolean;
  inbox_pending: number;
  autonomy: Autonomy | null;
  route: unknown;
  mode_seq: number;
  child_count: number;
}

export interface RefusedRow {
  stored: false;
  account: { limit: string | null; spent: string; reserved: string } | null;
  locked_inbox_pending: number;
  locked_mode_seq: number;
}

/** Why nothing of a step was stored. */
export function refusal(step: Step, row: RefusedRow | undefined): CommitResult {
  if (!row) return { kind: 'fenced' };
  if (requiresEmptyInbox(step.end) && row.locked_inbox_pending > step.consumedInbox.length)
    return { kind: 'inbox_pending' };
  if (step.transition !== null && step.transition.seq !== row.locked_mode_seq + 1)
    return { kind: 'mode_moved' };
  const account = row.account ?? { limit: '0', spent: '0', reserved: '0' };
  return {
    kind: 'over_budget',
    limitNanoUsd: BigInt(account.limit ?? '0'),
    spentNanoUsd: BigInt(account.spent),
    reservedNanoUsd: BigInt(account.reserved),
  };
}

/** What a statement changed, and what is announced of it after the commit. */
import type { CommitEffects } from '@bullpen/contracts';

/** A task that a statement changed, and so has new events: the row that each such statement gives. */
export interface Change {
  readonly id: string;
  readonly root_id: string;
  readonly tenant_id: string;
  /** The number of its newest event. */
  readonly event_seq: number;
  /** The wake to announce, when it was queued and may begin now. */
  readonly wake?: number | null;
  /** It runs, and is to leave at once what it does. */
  readonly leave?: boolean;
}

/** What was done inside a transaction. */
export interface Outcome<R> {
  readonly result: R;
  readonly changes: readonly Change[];
}

/** Called after each commit that changed tasks, before its result is returned; must not throw. */
export type OnCommitted = (effects: CommitEffects) => void;

export function unchanged<R>(result: R): Outcome<R> {
  return { result, changes: [] };
}

export function tell(onCommitted: OnCommitted | undefined, changes: readonly Change[]): void {
  if (changes.length > 0) onCommitted?.(effectsOf(changes));
}

function effectsOf(changes: readonly Change[]): CommitEffects {
  const leaving = changes.filter(({ leave }) => leave);
  const trees = new Map(leaving.map(({ root_id: rootId, tenant_id: tenantId }) => [rootId, tenantId]));
  return {
    wakes: changes.flatMap(({ id: taskId, wake }) => (wake == null ? [] : [{ taskId, wake }])),
    rows: changes.map((row) => ({
      tenantId: row.tenant_id,
      rootId: row.root_id,
      taskId: row.id,
      seq: row.event_seq,
    })),
    cancels: [...trees].map(([rootId, tenantId]) => ({ tenantId, rootId })),
  };
}

/**
 * What has to be announced after a commit: wakes for the queue, nudges for the live bus. Losing it loses nothing; the reconciler
 * and the watchers look again.
 */

export interface Wake {
  readonly taskId: string;
  readonly wake: number;
}

export interface CommitEffects {
  readonly wakes: readonly Wake[];
  /** Tasks that have new event rows, with the newest sequence number. */
  readonly rows: readonly {
    readonly tenantId: string;
    readonly rootId: string;
    readonly taskId: string;
    readonly seq: number;
  }[];
  /** Trees in which a cancel was requested: their workers should look at once. */
  readonly cancels: readonly { readonly tenantId: string; readonly rootId: string }[];
}

export const NO_EFFECTS: CommitEffects = { wakes: [], rows: [], cancels: [] };

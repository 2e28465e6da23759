/** Port: the folder that a run works in, and the storing of its states. */
import type { CheckpointReason, SetupState } from '@bullpen/contracts';
import type { NewCheckpoint } from '../task/checkpoint.js';

export interface CheckpointRequest {
  readonly reason: CheckpointReason;
  readonly turn: number;
  readonly note?: string;
}

/** `off`: this workspace has no checkpoints. `degraded`: it could not be stored, and says why; the work goes on. */
export type CheckpointResult =
  | { readonly kind: 'taken'; readonly checkpoint: NewCheckpoint }
  | { readonly kind: 'unchanged'; readonly checkpointId: string }
  | { readonly kind: 'degraded'; readonly reason: string; readonly message: string }
  | { readonly kind: 'off' };

export interface MadeFrom {
  readonly checkpointId: string;
  /** Somebody wanted the files back as they were then; else they were made anew after a move or a loss. */
  readonly restored: boolean;
  /** The task that took the state, and its turn. */
  readonly taskId: string;
  readonly turn: number;
  readonly at: Date;
}

/** What became of the setup command in one copy of a workspace. */
export interface SetupEnd {
  readonly workspaceId: string;
  /** Of the copy. */
  readonly epoch: number;
  readonly state: SetupState;
  /** How it ended and the end of what it put out, or why it did not run. */
  readonly text: string;
}

/** A workspace that is open for one run. */
export interface Workspace {
  readonly path: string;
  /** Of this copy: another number than before says that it was made anew. */
  readonly epoch: number;
  /** The stored state that this copy was made from; null: it was made as the work began. */
  readonly madeFrom: MadeFrom | null;
  /** Null: there is no setup command, or it has yet to run in this copy; then nobody else runs it meanwhile. */
  readonly setup: SetupEnd | null;
  /** Others may change its files, too, between any two turns. */
  readonly inPlace: boolean;
  /** Its files are stored with another task only, which it was forked from. */
  readonly isBorrowed: boolean;
  /**
   * Stores the state as it is now: objects first, so that the row, which comes with the run's next step, never lacks them. Throws only
   * what may pass (the store is unreachable) and the signal's reason.
   */
  checkpoint(request: CheckpointRequest, signal: AbortSignal): Promise<CheckpointResult>;
}

/** Port: the folder that a run works in, and the storing of its states. */
import type { CheckpointReason } from '@bullpen/contracts';
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
  /** The task that took it, and its turn. */
  readonly taskId: string;
  readonly turn: number;
  readonly at: Date;
}

/** A workspace that is open for one run. */
export interface Workspace {
  readonly path: string;
  /** Of this copy: another number than before says that it was made anew. */
  readonly epoch: number;
  /** The stored state that this copy was made from; null: it was made as the work began. */
  readonly madeFrom: MadeFrom | null;
  /**
   * Stores the state as it is now: objects first, so that the row, which comes with the run's next step, never lacks them. Throws only
   * what may pass (the store is unreachable) and the signal's reason.
   */
  checkpoint(request: CheckpointRequest, signal: AbortSignal): Promise<CheckpointResult>;
}

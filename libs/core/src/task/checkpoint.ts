/** A stored state of a workspace, as a step records it. */
import type { CheckpointReason, Diffstat, LeftOutOfCheckpoint } from '@bullpen/contracts';

/** Its place in both histories is where its step is stored. */
export interface NewCheckpoint {
  readonly id: string;
  readonly workspaceId: string;
  readonly parentId: string | null;
  readonly reason: CheckpointReason;
  readonly note: string | null;
  readonly turn: number;
  /** Names its objects, which are stored before. */
  readonly commit: string;
  readonly files: number;
  /** Since its parent; null without one. */
  readonly diffstat: Diffstat | null;
  /** Since its workspace began, where that is a subtask's own; null elsewhere. */
  readonly changes: Diffstat | null;
  readonly leftOut: readonly LeftOutOfCheckpoint[];
  /** Stored for it alone. */
  readonly bytes: number;
}

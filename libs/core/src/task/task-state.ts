/** The states of a task and the legal moves between them. The SQL that moves a task uses the same table. */
import type { TaskState } from '@bullpen/contracts';

/** From each state, the states that may follow. An ended task moves on only when somebody asks for another attempt: by a retry, or by a message. */
export const LEGAL_MOVES: Readonly<Record<TaskState, readonly TaskState[]>> = {
  queued: ['running', 'paused', 'cancelled', 'failed'],
  running: ['queued', 'waiting', 'paused', 'completed', 'failed', 'cancelled'],
  waiting: ['queued', 'paused', 'cancelled', 'failed'],
  paused: ['queued', 'waiting', 'cancelled', 'failed'],
  completed: ['queued'],
  failed: ['queued'],
  cancelled: ['queued'],
};

/** Follows a tree of tasks until its root has ended, through every loss of the connection or of the gateway itself. */
import type { StreamItem } from '@bullpen/client';
import { isTerminal, type TaskView } from '@bullpen/contracts';
import type { Client } from '../context.js';

export interface FollowOptions {
  readonly client: Client;
  readonly taskId: string;
  readonly signal: AbortSignal;
  /** Whether the events of subtasks are wanted, too. */
  readonly tree: boolean;
  /** Only events after this sequence number, and none of subtasks: for a task that ended before and lives again. */
  readonly after?: number | undefined;
  onItem(item: StreamItem): void;
}

/** A gateway that is started again takes seconds; a machine that is started again takes minutes. */
const PATIENCE_MS = 180_000;

/**
 * Gives every event of the task from its first one on, in order and once, and resolves with the task as it ended. Throws the
 * signal's reason, what the API refuses, and `Unreachable` when the gateway stayed away for three minutes.
 */
export async function follow(options: FollowOptions): Promise<TaskView> {
  const { client, taskId, signal, tree, after, onItem } = options;
  const place = after === undefined ? { tree } : { after };
  for await (const item of client.tasks.stream(taskId, { ...place, signal, maxOfflineMs: PATIENCE_MS })) {
    onItem(item);
    // The stream ends with the task, but only after the connection was opened once more: here the end is known at once.
    if (item.taskId === taskId && item.type === 'task.status_changed' && isTerminal(item.data.to)) break;
  }
  return client.tasks.get(taskId, { signal });
}

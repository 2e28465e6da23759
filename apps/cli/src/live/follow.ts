/** Follows a tree of tasks until its root has ended, however often the connection or the gateway goes away meanwhile. */
import type { TaskView } from '@bullpen/contracts';
import type { Client } from '../context.js';
import { exitCodeOf, isProblemError } from '../errors.js';
import { EXIT } from '../exit-codes.js';
import { hasEnded, isStored, type StreamItem } from './tree-model.js';

export interface FollowOptions {
  readonly client: Client;
  readonly rootId: string;
  readonly signal: AbortSignal;
  /** Whether the events of subtasks are wanted, too. */
  readonly tree: boolean;
  /** How long the gateway may be away before following gives up. */
  readonly patienceMs: number;
  onItem(item: StreamItem): void;
  /** The stream broke and is tried again; `null` when it goes on. */
  onTrouble(message: string | null): void;
}

const RETRY_MS = 500;

/**
 * Resolves with the task as it ended. Throws when `signal` aborts, when the task does not exist, and when the gateway stayed
 * away for longer than `patienceMs`. Items are given in order; a stream that begins anew repeats what was stored, which
 * `TreeModel` and `onItem` of all callers take as known by its sequence number.
 */
export async function follow(options: FollowOptions): Promise<TaskView> {
  let lastContact = performance.now();
  let inTrouble = false;
  const seen = new Map<string, number>();
  for (;;) {
    try {
      await streamOnce(options, seen, () => {
        lastContact = performance.now();
        if (inTrouble) options.onTrouble(null);
        inTrouble = false;
      });
      const task = await options.client.tasks.get(options.rootId);
      if (hasEnded(task.state)) return task;
      lastContact = performance.now();
    } catch (error) {
      options.signal.throwIfAborted();
      if (!mayPass(error) || performance.now() - lastContact > options.patienceMs) throw error;
      options.onTrouble(error instanceof Error ? error.message : String(error));
      inTrouble = true;
    }
    await pause(RETRY_MS, options.signal);
  }
}

async function streamOnce(options: FollowOptions, seen: Map<string, number>, onContact: () => void): Promise<void> {
  const { client, rootId, tree, signal } = options;
  for await (const item of client.tasks.stream(rootId, { tree, signal })) {
    onContact();
    if (isStored(item)) {
      if (item.seq <= (seen.get(item.taskId) ?? 0)) continue;
      seen.set(item.taskId, item.seq);
    }
    options.onItem(item);
    if (item.taskId === rootId && item.type === 'task.status_changed' && hasEnded(item.data.to)) return;
  }
}

/** A gateway that is away or just starting comes back; a refusal stays a refusal. */
function mayPass(error: unknown): boolean {
  return exitCodeOf(error) === EXIT.unreachable || (isProblemError(error) && error.problem.status >= 500);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

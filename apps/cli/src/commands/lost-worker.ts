/**
 * What `demo --lose-worker` does: once the report is stored, the worker that wrote it is killed, and its folder deleted with the report in it. The task
 * has to go on elsewhere, from what is stored.
 */
import { isStored, type StreamItem } from '@bullpen/client';
import type { Client } from '../context.js';
import type { TreeDisplay } from '../live/tree-display.js';
import type { BorrowedStack } from '../stack/obtain.js';

export interface LostWorkerOptions {
  readonly client: Client;
  readonly stack: BorrowedStack;
  readonly rootId: string;
}

/** Looks at a tree, and strikes once. */
export function lostWorker(options: LostWorkerOptions, display: TreeDisplay) {
  let loss: Promise<string | null> | null = null;
  return {
    onItem: (item: StreamItem): void => {
      if (loss !== null || !tellsOfReport(item, options.rootId)) return;
      loss = lose(options);
      loss.then(
        (name) => name !== null && display.setNotice(noticeOf(name)),
        // `leave` throws it.
        () => undefined,
      );
    },
    leave: async (): Promise<void> => {
      await loss;
    },
  };
}

async function lose({ client, stack, rootId }: LostWorkerOptions): Promise<string | null> {
  const { workspacePath } = await client.tasks.get(rootId);
  if (workspacePath === null) return null;
  const isNeeded = async (): Promise<boolean> => (await client.tasks.get(rootId)).endedAt === null;
  return stack.loseWorkerOf(workspacePath, isNeeded);
}

function noticeOf(name: string): string {
  return `${name} was killed, and its folder with the report was deleted; another worker goes on from what is stored`;
}

function tellsOfReport(item: StreamItem, rootId: string): boolean {
  return (
    isStored(item) &&
    item.type === 'checkpoint.taken' &&
    item.taskId === rootId &&
    item.data.reason === 'turn' &&
    item.data.files > 0
  );
}

/** Shows a tree of tasks while it runs, and gives back how its root ended. */
import { type StreamItem, TreeModel } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import { leftOutLine, type Connection } from '../context.js';
import type { Io } from '../io.js';
import { follow } from './follow.js';
import { openTreeDisplay, type TreeDisplay } from './tree-display.js';

export interface WatchTreeOptions {
  readonly io: Io;
  readonly connection: Connection;
  readonly rootId: string;
  readonly signal: AbortSignal;
  /** Collects what is watched, for a caller that reports on it afterwards. */
  readonly model?: TreeModel;
  /** Somebody who looks at the same items, and may hold the display. */
  attend?(display: TreeDisplay): { onItem(item: StreamItem): void; leave(): Promise<void> } | null;
}

/** Throws what `follow` throws; the last picture stays on the screen in any case. */
export async function watchTree(options: WatchTreeOptions): Promise<TaskView> {
  const { io, connection, rootId, signal, attend, model = new TreeModel(rootId) } = options;
  const display = openTreeDisplay({ io, model });
  const attendant = attend?.(display) ?? null;
  connection.onTrouble = (message) => display.setNotice(message && `${message}, trying again`);
  const leftOut: string[] = [];
  connection.onLeftOut = (what) => leftOut.push(leftOutLine(io, what));
  try {
    const onItem = (item: StreamItem): void => {
      display.onItem(item);
      attendant?.onItem(item);
    };
    return await follow({ client: connection.client, taskId: rootId, signal, tree: true, onItem });
  } finally {
    await attendant?.leave();
    display.close();
    for (const line of leftOut) io.err(line);
  }
}

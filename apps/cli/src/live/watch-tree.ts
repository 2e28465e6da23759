/** Shows a tree of tasks while it runs, and gives back how its root ended. */
import type { TaskView } from '@bullpen/contracts';
import type { Connection } from '../context.js';
import type { Io } from '../io.js';
import { follow } from './follow.js';
import { openTreeDisplay } from './tree-display.js';
import { TreeModel } from './tree-model.js';

export interface WatchTreeOptions {
  readonly io: Io;
  readonly connection: Connection;
  readonly rootId: string;
  readonly signal: AbortSignal;
}

/** Throws what `follow` throws; the last picture stays on the screen in any case. */
export async function watchTree({ io, connection, rootId, signal }: WatchTreeOptions): Promise<TaskView> {
  const display = openTreeDisplay({ io, model: new TreeModel(rootId) });
  connection.onTrouble = (message) => display.setNotice(message && `${message}, trying again`);
  try {
    const onItem = display.onItem.bind(display);
    return await follow({ client: connection.client, taskId: rootId, signal, tree: true, onItem });
  } finally {
    display.close();
  }
}

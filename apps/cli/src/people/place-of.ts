/** Where interactions of a task are. */
import type { ListInteractions } from '@bullpen/contracts';
import type { Client } from '../context.js';

/** The filter for one task; for a root, its whole tree. */
export async function placeOf(client: Client, taskId: string): Promise<Partial<ListInteractions>> {
  const { parentId } = await client.tasks.get(taskId);
  return parentId === null ? { rootId: taskId } : { taskId };
}

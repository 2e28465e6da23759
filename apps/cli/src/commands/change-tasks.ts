/** The same change to several tasks, one after the other. */
import type { TaskView } from '@bullpen/contracts';
import { printJson, type Context } from '../context.js';

/** The first task that refuses the change names itself, and nothing after it is touched. `say` is the line about each. */
export async function changeTasks(
  { io }: Context,
  ids: readonly string[],
  json: boolean | undefined,
  change: (id: string) => Promise<TaskView>,
  say: (task: TaskView) => string,
): Promise<void> {
  const tasks = [];
  for (const id of ids) {
    const task = await change(id);
    tasks.push(task);
    if (!json) io.err(`${id} ${say(task)}`);
  }
  if (json) printJson(io, ids.length === 1 ? tasks[0] : { data: tasks });
}

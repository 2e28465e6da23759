/** The task that a screen shows, and its tree, for the parts of the screen. */
import type { TaskTree, TaskView } from '@bullpen/contracts';
import { createContext, useContext } from 'react';

export type TreeTask = TaskTree['tasks'][number];

export interface ShownTask {
  readonly task: TaskView;
  /** By id; empty until it was read. */
  readonly tree: ReadonlyMap<string, TreeTask>;
}

export const ShownTaskContext = createContext<ShownTask | null>(null);

export function useShownTask(): ShownTask {
  const shown = useContext(ShownTaskContext);
  if (shown === null) throw new Error('There is no task around this');
  return shown;
}

export function useTaskId(): string {
  return useShownTask().task.id;
}

export function useTreeTask(id: string): TreeTask | undefined {
  return useShownTask().tree.get(id);
}

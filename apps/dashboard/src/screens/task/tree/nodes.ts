/** The tasks of a tree as nodes within each other. Pure. */
import type { TreeTask } from '../task-context.js';

export interface TreeNode {
  readonly id: string;
  readonly task: TreeTask;
  readonly children: TreeNode[];
}

/** The nodes at the top: tasks whose parent is not among these. */
export function rootsOf(tasks: readonly TreeTask[]): TreeNode[] {
  const nodes = new Map(
    tasks.map((task): [string, TreeNode] => [task.id, { id: task.id, task, children: [] }]),
  );
  const roots: TreeNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.task.parentId === null ? undefined : nodes.get(node.task.parentId);
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

/** What failed, and all above it. */
export function onlyFailed(tasks: readonly TreeTask[]): TreeTask[] {
  const shown = new Set(tasks.filter(({ state }) => state === 'failed').flatMap(({ path }) => path));
  return tasks.filter(({ id }) => shown.has(id));
}

/** Tasks: one, many, and the tree of a root. Everything is scoped by tenant: a foreign id is an unknown id. */
import type { ListTasks, TaskPage, TaskState, TaskTree, TaskView } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { encodeCursor, filterFingerprint, inOrder, olderThan, toPage } from './page-cursor.js';
import { newestTasks } from './newest-tasks.js';
import { withSummaries } from './tree-summary.js';
import { findTaskViews } from './find-task-views.js';
import { exportedView } from './task-view.js';

/** One task; null when the tenant has none with this id. */
export async function getTask(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<TaskView | null> {
  const [view] = await findTaskViews(prisma, Prisma.sql`id = ${taskId} and tenant_id = ${tenantId}`);
  return view ?? null;
}

/** Just enough of a task to know that it exists and how far its stream is. */
export interface TaskHead {
  readonly id: string;
  readonly rootId: string;
  readonly state: TaskState;
  readonly eventSeq: number;
}

/** The head of a task; null when the tenant has none with this id. */
export async function getTaskHead(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<TaskHead | null> {
  return prisma.task.findFirst({
    where: { id: taskId, tenantId },
    select: { id: true, rootId: true, state: true, eventSeq: true },
  });
}

/**
 * Tasks that fit the filter, newest first. Throws `invalid_request` for a cursor that is not of a list with this filter;
 * a page may be empty only when nothing (more) fits.
 */
export async function listTasks(
  prisma: PrismaClient,
  tenantId: string,
  query: Partial<ListTasks> & Pick<ListTasks, 'limit'>,
): Promise<TaskPage> {
  const { limit, after, trees, ...filter } = query;
  const fingerprint = filterFingerprint({ list: 'tasks', ...filter });
  const beyond = after === undefined ? Prisma.empty : Prisma.sql`and ${olderThan(fingerprint, after)}`;
  const ids = await newestTasks(prisma, tenantId, filter, beyond, limit + 1);
  const page = toPage(
    ids,
    limit,
    ({ id }) => id,
    ({ createdAt, id }) => encodeCursor(fingerprint, [createdAt.getTime(), id]),
  );
  const views = await viewsInOrder(prisma, page.data);
  return { ...page, data: trees === true ? await withSummaries(prisma, views) : views };
}

/** The rows may be gone when they are read: a tree can be deleted at any time. */
async function viewsInOrder(prisma: PrismaClient, ids: readonly string[]): Promise<TaskView[]> {
  return inOrder(await findTaskViews(prisma, Prisma.sql`id = any(${ids})`), ids);
}

/**
 * The whole tree that a task belongs to, depth first, siblings in order of creation; `path` goes from the root down. Null
 * when the tenant has no task with this id.
 */
export async function getTaskTree(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<TaskTree | null> {
  const head = await getTaskHead(prisma, tenantId, taskId);
  if (head === null) return null;
  const views = await findTaskViews(prisma, Prisma.sql`root_id = ${head.rootId} and tenant_id = ${tenantId}`);
  return { rootId: head.rootId, tasks: depthFirst(views, head.rootId) };
}

/** A task and everything below it, parents first, for an export; null when the tenant has no task with this id. */
export async function getExportedTree(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<TaskView[] | null> {
  const tree = await getTaskTree(prisma, tenantId, taskId);
  if (tree === null) return null;
  const tasks = tree.tasks
    .filter(({ path }) => path.includes(taskId))
    .map(({ path: _path, ...task }) => task);
  const ids = tasks.flatMap(({ id, importedFrom }) => (importedFrom === null ? [] : [id]));
  if (ids.length === 0) return tasks;
  const rows = await prisma.task.findMany({
    where: { id: { in: ids } },
    select: { id: true, imported: true },
  });
  const stored = new Map(rows.map(({ id, imported }) => [id, imported]));
  return tasks.map((task) => (stored.has(task.id) ? exportedView(task, stored.get(task.id)) : task));
}

function depthFirst(tasks: readonly TaskView[], rootId: string): TaskTree['tasks'] {
  const children = new Map<string | null, TaskView[]>();
  for (const task of tasks) {
    const siblings = children.get(task.parentId);
    if (siblings) siblings.push(task);
    else children.set(task.parentId, [task]);
  }
  const ordered: TaskTree['tasks'] = [];
  const open = tasks.filter(({ id }) => id === rootId).map((task) => ({ ...task, path: [task.id] }));
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    ordered.push(node);
    const { path } = node;
    for (const task of [...(children.get(node.id) ?? [])].reverse())
      open.push({ ...task, path: [...path, task.id] });
  }
  return ordered;
}

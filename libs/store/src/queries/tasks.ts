/** Tasks: one, many, and the tree of a root. Everything is scoped by tenant: a foreign id is an unknown id. */
import type { ListTasks, TaskPage, TaskState, TaskTree, TaskView } from '@bullpen/contracts';
import type { Prisma, PrismaClient, Task } from '../generated/client.js';
import { beyondKey, decodeCursor, encodeCursor, filterFingerprint, toPage } from './page-cursor.js';
import { taskViewsOf } from './task-view.js';

/** One task; null when the tenant has none with this id. */
export async function getTask(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<TaskView | null> {
  const row = await prisma.task.findFirst({ where: { id: taskId, tenantId } });
  if (row === null) return null;
  const [view] = await taskViewsOf(prisma, [row]);
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
export async function listTasks(prisma: PrismaClient, tenantId: string, query: ListTasks): Promise<TaskPage> {
  const { limit, after, ...filter } = query;
  const fingerprint = filterFingerprint({ list: 'tasks', ...filter });
  const rows = await prisma.task.findMany({
    where: {
      AND: [
        whereOf(tenantId, filter),
        after === undefined ? {} : beyondKey(decodeCursor(fingerprint, after), 'desc'),
      ],
    },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: limit + 1,
  });
  const page = toPage(
    rows,
    limit,
    (row) => row,
    (row) => encodeCursor(fingerprint, [row.createdAt.getTime(), row.id]),
  );
  return { ...page, data: await taskViewsOf(prisma, page.data) };
}

function whereOf(tenantId: string, filter: Omit<ListTasks, 'limit' | 'after'>): Prisma.TaskWhereInput {
  const { state, agent, tag, rootId, parentId, roots } = filter;
  // Prisma passes the text to LIKE as it is: wildcards in it have to be escaped.
  const q = filter.q?.replace(/[\\%_]/g, '\\$&');
  return {
    tenantId,
    ...(state && { state: { in: state } }),
    ...(agent !== undefined && { agent }),
    ...(tag !== undefined && { tags: { has: tag } }),
    ...(rootId !== undefined && { rootId }),
    ...(parentId !== undefined && { parentId }),
    ...(roots === 'true' && { depth: 0 }),
    ...(q !== undefined && {
      OR: [{ title: { contains: q, mode: 'insensitive' } }, { prompt: { contains: q, mode: 'insensitive' } }],
    }),
  };
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
  const rows = await prisma.task.findMany({
    where: { rootId: head.rootId, tenantId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const views = new Map((await taskViewsOf(prisma, rows)).map((view) => [view.id, view]));
  const tasks = depthFirst(rows, head.rootId).flatMap(({ id, path }) => {
    const view = views.get(id);
    return view ? [{ ...view, path }] : [];
  });
  return { rootId: head.rootId, tasks };
}

function depthFirst(rows: readonly Task[], rootId: string): { id: string; path: string[] }[] {
  const children = new Map<string, string[]>();
  for (const row of rows) {
    if (row.parentId === null) continue;
    const siblings = children.get(row.parentId);
    if (siblings) siblings.push(row.id);
    else children.set(row.parentId, [row.id]);
  }
  const ordered: { id: string; path: string[] }[] = [];
  const open = [{ id: rootId, path: [rootId] }];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    ordered.push(node);
    const { path } = node;
    for (const id of [...(children.get(node.id) ?? [])].reverse()) open.push({ id, path: [...path, id] });
  }
  return ordered;
}

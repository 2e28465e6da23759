/**
 * What happened in all tasks of a tree, for a document: each kind of row is read for as many tasks at once as fit, because a query for each task would
 * cost more than what it reads.
 */
import type { TaskEvent, TaskExport, TaskView } from '@bullpen/contracts';
import type { PrismaClient } from '../generated/client.js';
import { taskEventOf } from './events.js';
import { apiMessageViewOf, briefingOf, toolCallViewOf } from './task-details.js';

/** Rows of one read at most: a long task is read in parts. */
const ROWS = 500;

/** A task and everything that happened in it. */
export type TaskHistory = TaskExport['tasks'][number];

/** The events of each of these tasks, in order. The caller has checked that they are the tenant's; so does the query. */
export async function readEvents(
  prisma: PrismaClient,
  tenantId: string,
  tasks: readonly TaskView[],
): Promise<Pick<TaskHistory, 'task' | 'events'>[]> {
  const read: Pick<TaskHistory, 'task' | 'events'>[] = [];
  for (const group of groupsOf(tasks)) {
    const events = await eventsOf(prisma, tenantId, await inOrderOf(prisma, tenantId, group));
    for (const task of group) read.push({ task, events: events.get(task.id) ?? [] });
  }
  return read;
}

/** The same with the conversation, the calls of tools, and what the agent was told. */
export async function readHistories(
  prisma: PrismaClient,
  tenantId: string,
  tasks: readonly TaskView[],
): Promise<TaskHistory[]> {
  const read: TaskHistory[] = [];
  // One group after the other: a tree may be large, and nobody waits for a download at the cost of those who work.
  for (const group of groupsOf(tasks)) {
    const rows = await inOrderOf(prisma, tenantId, group);
    const events = await eventsOf(prisma, tenantId, rows);
    const messages = await messagesOf(prisma, tenantId, rows);
    const toolCalls = await toolCallsOf(prisma, tenantId, rows);
    const briefings = new Map(rows.map((row) => [row.id, briefingOf(row)]));
    for (const task of group)
      read.push({
        task,
        events: events.get(task.id) ?? [],
        messages: messages.get(task.id) ?? [],
        toolCalls: toolCalls.get(task.id) ?? [],
        briefing: briefings.get(task.id) ?? null,
      });
  }
  return read;
}

/** Tasks side by side whose rows are likely to come with one read; there is hardly a message or a call without an event. */
function groupsOf(tasks: readonly TaskView[]): TaskView[][] {
  const groups: TaskView[][] = [];
  let events = Infinity;
  for (const task of tasks) {
    events += task.eventSeq;
    if (events < ROWS) groups.at(-1)?.push(task);
    else {
      groups.push([task]);
      events = task.eventSeq;
    }
  }
  return groups;
}

type Ordered = readonly { readonly id: string; readonly briefing: unknown }[];

/** In Postgres' own order of ids, in which the reads go on from one task to the next. */
function inOrderOf(prisma: PrismaClient, tenantId: string, tasks: readonly TaskView[]): Promise<Ordered> {
  return prisma.task.findMany({
    where: { tenantId, id: { in: tasks.map(({ id }) => id) } },
    select: { id: true, briefing: true },
    orderBy: { id: 'asc' },
  });
}

async function eventsOf(prisma: PrismaClient, tenantId: string, tasks: Ordered) {
  const rows = await rowsOf(
    tasks,
    (left) =>
      prisma.uiEvent.findMany({
        where: { tenantId, OR: left },
        orderBy: [{ taskId: 'asc' }, { seq: 'asc' }],
        take: ROWS,
      }),
    ({ taskId, seq }) => [{ taskId, seq: { gt: seq } }],
  );
  return viewsByTask<(typeof rows)[number], TaskEvent>(rows, taskEventOf);
}

async function messagesOf(prisma: PrismaClient, tenantId: string, tasks: Ordered) {
  const rows = await rowsOf(
    tasks,
    (left) =>
      prisma.apiMessage.findMany({
        where: { task: { tenantId }, OR: left },
        orderBy: [{ taskId: 'asc' }, { seq: 'asc' }],
        take: ROWS,
      }),
    ({ taskId, seq }) => [{ taskId, seq: { gt: seq } }],
  );
  return viewsByTask(rows, apiMessageViewOf);
}

async function toolCallsOf(prisma: PrismaClient, tenantId: string, tasks: Ordered) {
  const rows = await rowsOf(
    tasks,
    (left) =>
      prisma.toolCall.findMany({
        where: { task: { tenantId }, OR: left },
        orderBy: [{ taskId: 'asc' }, { turn: 'asc' }, { position: 'asc' }],
        take: ROWS,
      }),
    ({ taskId, turn, position }) => [
      { taskId, turn: { gt: turn } },
      { taskId, turn, position: { gt: position } },
    ],
  );
  return viewsByTask(rows, toolCallViewOf);
}

/** Conditions over rows of tasks. */
interface Left {
  taskId: string | { in: string[] };
  seq?: { gt: number };
  turn?: number | { gt: number };
  position?: { gt: number };
}

/** All rows of tasks, read by their keys: what is left is the rest of the task of the last row, and the tasks after it. */
async function rowsOf<Row extends { readonly taskId: string }>(
  tasks: Ordered,
  read: (left: Left[]) => Promise<Row[]>,
  behind: (last: Row) => Left[],
): Promise<Row[]> {
  const ids = tasks.map(({ id }) => id);
  const all: Row[] = [];
  let left: Left[] = [{ taskId: { in: ids } }];
  for (;;) {
    const rows = await read(left);
    for (const row of rows) all.push(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < ROWS) return all;
    left = [...behind(last), { taskId: { in: ids.slice(ids.indexOf(last.taskId) + 1) } }];
  }
}

function viewsByTask<Row extends { readonly taskId: string }, View>(
  rows: readonly Row[],
  viewOf: (row: Row) => View,
): ReadonlyMap<string, View[]> {
  const found = new Map<string, View[]>();
  for (const row of rows) {
    const views = found.get(row.taskId);
    if (views) views.push(viewOf(row));
    else found.set(row.taskId, [viewOf(row)]);
  }
  return found;
}

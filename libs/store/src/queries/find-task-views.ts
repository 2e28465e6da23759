/** Tasks as the API shows them, with what other tables know about them: one query each for all that are found. */
import { AppError, ContextSize, type Json, type TaskView } from '@bullpen/contracts';
import { APPROVAL_LEVELS, DEFAULT_LIMITS } from '@bullpen/core';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { SHOWN_COLUMNS, taskViewOf, type ShownTask } from './task-view.js';
import { NO_USAGE, USAGE_SUMS, type UsageSums } from './usage-sums.js';

/** In the place of JSON columns of which one cannot be read. */
const UNREADABLE = {
  definition: { autonomy: 'agent', limits: DEFAULT_LIMITS, approvals: APPROVAL_LEVELS.low },
  input: null,
  output: null,
  workspace: { kind: 'empty' },
  metadata: {},
  todos: [],
  imported: null,
};

/** Views of the tasks of which a condition on their columns is true, in the order of their creation. */
export async function findTaskViews(prisma: PrismaClient, condition: Prisma.Sql): Promise<TaskView[]> {
  const rows = await prisma.$queryRaw<ShownTask[]>(Prisma.sql`
    select ${SHOWN_COLUMNS} from tasks where ${condition} order by created_at, id`);
  const ids = rows.map((row) => row.id);
  const [usage, due, contexts] = await Promise.all([
    usageByTask(prisma, ids),
    dueTimes(prisma, rows),
    contextByTask(prisma, ids),
  ]);
  return rows.map((row) => {
    const view = (shown: ShownTask) =>
      taskViewOf(shown, usage.get(row.id) ?? NO_USAGE, {
        context: contexts.get(row.id) ?? null,
        dueAt: due.get(row.waitId ?? '') ?? null,
      });
    try {
      return view(row);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'row_unreadable')) throw error;
      // It must neither hide the others nor be hidden: it is shown without what cannot be read, and says so.
      return view({
        ...row,
        ...UNREADABLE,
        failure: { cause: 'error', code: error.code, message: error.message },
      });
    }
  });
}

async function usageByTask(
  prisma: PrismaClient,
  taskIds: readonly string[],
): Promise<Map<string, UsageSums>> {
  if (taskIds.length === 0) return new Map();
  const rows = await prisma.$queryRaw<(UsageSums & { taskId: string })[]>(Prisma.sql`
    select task_id as "taskId", ${USAGE_SUMS}
    from usage_records where task_id = any(${taskIds}) group by task_id`);
  return new Map(rows.map((row) => [row.taskId, row]));
}

/** How full the windows were with the newest model calls. */
async function contextByTask(
  prisma: PrismaClient,
  taskIds: readonly string[],
): Promise<Map<string, ContextSize>> {
  if (taskIds.length === 0) return new Map();
  const rows = await prisma.$queryRaw<{ taskId: string; context: Json }[]>(Prisma.sql`
    select t.id as "taskId", newest.context from unnest(${taskIds}::text[]) as t(id) cross join lateral (
      select c.context from model_calls c where c.task_id = t.id and c.context is not null
      order by c.turn desc, c.attempt desc, c.started_at desc limit 1) newest`);
  return new Map(
    rows.flatMap(({ taskId, context }) => {
      const read = ContextSize.safeParse(context);
      return read.success ? [[taskId, read.data]] : [];
    }),
  );
}

/** When waits end automatically, by wait. */
async function dueTimes(prisma: PrismaClient, rows: readonly ShownTask[]): Promise<Map<string, Date | null>> {
  const ids = rows.flatMap(({ state, waitId }) => (state === 'waiting' && waitId !== null ? [waitId] : []));
  if (ids.length === 0) return new Map();
  const waits = await prisma.wait.findMany({ where: { id: { in: ids } }, select: { id: true, dueAt: true } });
  return new Map(waits.map(({ id, dueAt }) => [id, dueAt]));
}

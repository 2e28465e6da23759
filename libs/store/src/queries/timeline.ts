/** When the tasks of a tree were in which state, from the events that tell of it. */
import type { TaskState, Timeline, WaitReason } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { getTaskHead } from './tasks.js';

interface SpanRow {
  readonly taskId: string;
  readonly state: TaskState;
  readonly reason: WaitReason | null;
  readonly at: Date;
  readonly until: Date | null;
  readonly now: Date;
}

/** The states over time of the whole tree that a task belongs to; null when the tenant has no task with this id. */
export async function getTimeline(
  prisma: PrismaClient,
  tenantId: string,
  taskId: string,
): Promise<Timeline | null> {
  const head = await getTaskHead(prisma, tenantId, taskId);
  if (head === null) return null;
  const rows = await prisma.$queryRaw<SpanRow[]>(Prisma.sql`
    select task_id as "taskId", coalesce(data->>'to', 'queued') as state, data->>'reason' as reason, at,
      lead(at) over (partition by task_id order by seq) as until, now() as now
    from ui_events
    where root_id = ${head.rootId} and tenant_id = ${tenantId}
      and type in ('task.created', 'task.status_changed')
    order by task_id, seq`);
  const tasks = new Map<string, Timeline['tasks'][number]>();
  for (const row of rows) {
    const task = tasks.get(row.taskId) ?? { taskId: row.taskId, spans: [] };
    tasks.set(row.taskId, task);
    const to = row.until?.toISOString() ?? null;
    task.spans.push({ state: row.state, reason: row.reason, from: row.at.toISOString(), to });
  }
  const now = rows[0]?.now ?? new Date();
  return { rootId: head.rootId, now: now.toISOString(), tasks: [...tasks.values()] };
}

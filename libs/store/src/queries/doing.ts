/** What running tasks do right now. */
import type { Doing } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';

interface Row {
  taskId: string;
  kind: 'tool' | 'model';
  name: string;
  detail: string | null;
  since: Date;
}

/** The tool call or else the model call that is under way in each of these tasks; those between two are absent. */
export async function doingOf(
  prisma: PrismaClient,
  taskIds: readonly string[],
): Promise<ReadonlyMap<string, Doing>> {
  if (taskIds.length === 0) return new Map();
  // Only the newest turn is looked at, however long the task is.
  const rows = await prisma.$queryRaw<Row[]>(Prisma.sql`
    select t.id as "taskId", now.* from tasks t cross join lateral (
      (select 'tool' as kind, c.tool as name, left(coalesce(c.arguments ->> 'command', c.arguments ->> 'path',
          c.arguments ->> 'query', c.arguments ->> 'pattern', c.arguments ->> 'url', c.arguments ->> 'title'), 200) as detail,
        c.started_at as since
      from tool_calls c where c.task_id = t.id and c.turn >= t.turns - 1 and c.status = 'calling' and c.started_at is not null
      order by c.turn desc, c.position limit 1)
      union all
      (select 'model', m.model, null, m.started_at from model_calls m
      where m.task_id = t.id and m.turn >= t.turns - 1 and m.status = 'started' order by m.turn desc, m.attempt desc limit 1)
      limit 1) now
    where t.id = any(${[...taskIds]}) and t.state = 'running'`);
  return new Map(rows.map((row) => [row.taskId, { ...row, since: row.since.toISOString() }]));
}

/** Which tasks a page shows: those that fit, newest first, read along an index whether many fit or none. */
import { Prisma, type PrismaClient } from '../generated/client.js';
import { foundBy, taskConditions, type TaskConditions } from './task-filter.js';

/** Of the newest tasks that fit but for the words, so many are looked through before the index of the words is asked: words of many tasks are in these. */
const LOOKED_THROUGH = 1_000;

/** A task on a page, and its place in the list. */
export interface NewestTask {
  readonly id: string;
  readonly createdAt: Date;
}

/** At most `limit` tasks of a tenant that fit the filter, newest first. `beyond` begins with `and`, or is empty. */
export async function newestTasks(
  prisma: PrismaClient,
  tenantId: string,
  filter: TaskConditions,
  beyond: Prisma.Sql,
  limit: number,
): Promise<NewestTask[]> {
  const newest = (conditions: TaskConditions, most: number) => Prisma.sql`
    select t.id, t.created_at as "createdAt" from tasks t where ${taskConditions(tenantId, conditions)} ${beyond}
    order by t.created_at desc, t.id desc limit ${most}`;
  const { q, ...others } = filter;
  if (q === undefined) return prisma.$queryRaw(newest(filter, limit));
  const [near] = await prisma.$queryRaw<{ looked: number; ids: string[]; times: Date[] }[]>(Prisma.sql`
    with near as materialized (${newest(others, LOOKED_THROUGH)}), hits as (
      -- Along the tasks and not along the words, which half of all texts may have.
      select near.* from near where exists (select from (select * from search_texts where task_id = near.id offset 0) s where ${foundBy(tenantId, q)})
      order by near."createdAt" desc, near.id desc limit ${limit})
    select (select count(*)::int from near) as looked, array(select id from hits) as ids, array(select "createdAt" from hits) as times`);
  const { looked, ids, times } = near ?? { looked: 0, ids: [], times: [] };
  if (ids.length === limit || looked < LOOKED_THROUGH)
    return ids.flatMap((id, at) => (times[at] === undefined ? [] : [{ id, createdAt: times[at] }]));
  return prisma.$queryRaw(newest(filter, limit));
}

/** Which tasks a page shows: those that fit, newest first, read along an index whether many fit or none. */
import { Prisma, type PrismaClient } from '../generated/client.js';
import { foundBy, taskConditions, type TaskConditions } from './task-filter.js';

/**
 * Words of many tasks are in the newest, so these are looked through before the index of the words is asked: a hundred, and as many
 * more as promise to fill the page, some at a time. For more than three thousand the index is quicker, whatever it finds.
 */
const FIRST_LOOK = 100;
const NEXT_LOOK = 1_000;
const MOST_LOOKED = 3_000;

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
  const newest = (conditions: TaskConditions, after: Prisma.Sql, most: number) => Prisma.sql`
    select t.id, t.created_at as "createdAt" from tasks t where ${taskConditions(tenantId, conditions)} ${after}
    order by t.created_at desc, t.id desc limit ${most}`;
  const { q, ...others } = filter;
  if (q === undefined) return prisma.$queryRaw(newest(filter, beyond, limit));
  const found: NewestTask[] = [];
  let after = beyond;
  for (let looked = 0; found.length * MOST_LOOKED >= limit * looked && looked < MOST_LOOKED;) {
    const promised = looked === 0 ? FIRST_LOOK : (1.2 * limit * looked) / found.length;
    const most = Math.min(Math.ceil(promised), NEXT_LOOK);
    const look = await lookThrough(prisma, newest(others, after, most), foundBy(tenantId, q));
    found.push(...look.found);
    if (found.length >= limit || look.last === null || look.looked < most) return found.slice(0, limit);
    after = Prisma.sql`and (t.created_at, t.id) < (${look.last.createdAt}, ${look.last.id})`;
    looked += look.looked;
  }
  return prisma.$queryRaw(newest(filter, beyond, limit));
}

interface Look {
  readonly looked: number;
  readonly last: NewestTask | null;
  readonly found: readonly NewestTask[];
}

/** Which of some tasks have the words. */
async function lookThrough(prisma: PrismaClient, tasks: Prisma.Sql, hasWords: Prisma.Sql): Promise<Look> {
  const rows = await prisma.$queryRaw<(NewestTask & { found: boolean; at: number })[]>(Prisma.sql`
    with near as materialized (${tasks}), looked as (
      select near.*, (row_number() over (order by "createdAt" desc, id desc))::int as at, exists (
        -- Along the tasks and not along the words, which half of all texts may have.
        select from (select * from search_texts where task_id = near.id offset 0) s where ${hasWords}) as found
      from near)
    select * from looked where found or at = (select count(*) from near) order by at`);
  const last = rows.at(-1);
  return { looked: last?.at ?? 0, last: last ?? null, found: rows.filter(({ found }) => found) };
}

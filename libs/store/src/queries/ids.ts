/** Finds ids by a part of them, for people who do not want to type 26 letters. */
import type { FindIds, FoundIds, IdKind } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';

const MOST = 10;
const TITLE_CHARS = 200;

/** Where ids of each kind are, and what people know them by. */
const SOURCES: Readonly<Record<IdKind, Prisma.Sql>> = {
  task: Prisma.sql`select id, title, tenant_id from tasks`,
  ask: Prisma.sql`select id, title, tenant_id from interactions`,
  inbox: Prisma.sql`select m.id, m.text as title, t.tenant_id from inbox_messages m join tasks t on t.id = m.task_id`,
  webhook: Prisma.sql`select id, url as title, tenant_id from webhook_endpoints`,
  proc: Prisma.sql`select p.id, p.command as title, t.tenant_id from processes p join tasks t on t.id = p.task_id`,
  ckpt: Prisma.sql`select id, coalesce(note, reason) as title, tenant_id from checkpoints`,
  delivery: Prisma.sql`select id, type as title, tenant_id from webhook_deliveries`,
};

/** The ids of a tenant that begin with the piece, or, when it has no prefix, end with it. */
export async function findIds(
  prisma: PrismaClient,
  tenantId: string,
  { kind, piece }: FindIds,
): Promise<FoundIds> {
  const hasPrefix = piece.startsWith(`${kind}_`);
  const start = `${(hasPrefix ? piece : `${kind}_${piece}`).replaceAll('_', '\\_')}%`;
  const end = [...piece].reverse().join('');
  const newest = (ids: Prisma.Sql) => Prisma.sql`(
    select id, left(title, ${TITLE_CHARS}) as title from (${ids}) ids where tenant_id = ${tenantId} order by id desc limit ${MOST + 1})`;
  const source = SOURCES[kind];
  const begins = newest(Prisma.sql`select * from (${source}) all_ids where id like ${start}`);
  // The end of an id is the beginning of what it is backwards, up to the character after `z`. All of those, because the planner would rather look at the
  // end of each id, the newest first.
  const ends = newest(Prisma.sql`select * from (${source}) all_ids
    where reverse(id) collate "C" >= ${end} and reverse(id) collate "C" < ${`${end}{`} offset 0`);
  const found = await prisma.$queryRaw<FoundIds['data']>(Prisma.sql`
    select id, title from (${begins} ${hasPrefix ? Prisma.empty : Prisma.sql`union ${ends}`}) found order by id desc limit ${MOST + 1}`);
  return { data: found.slice(0, MOST), hasMore: found.length > MOST };
}

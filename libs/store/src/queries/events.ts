/**
 * Durable events as pages and streams read them.
 *
 * Within one task `seq` has no gaps and is the position. Over many tasks the position is (`tx`, `id`): the transaction that wrote
 * the row, then the row. Transactions become visible in another order than they began, so a reader that simply takes the newest
 * rows would step over one that is still open. So the readers here only read up to the oldest open transaction
 * (`pg_snapshot_xmin`): below it, nothing can appear any more. The price: a row is shown only when every transaction that started
 * before it is over, usually a few milliseconds, because steps are short. Reading transactions have no number and delay nothing.
 */
import type { TaskEvent } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { IMPORTED_EPOCH } from '../tasks/import.js';
import { badCursor } from './page-cursor.js';
import type { TaskRef } from './task-details.js';

/** Place of an event among those of many tasks. */
export interface EventPlace {
  readonly tx: bigint;
  readonly id: bigint;
}

/** What a stream over many tasks covers. */
export type EventScope =
  | { readonly kind: 'tree'; readonly tenantId: string; readonly rootId: string }
  | { readonly kind: 'tenant'; readonly tenantId: string };

/** Before every event. */
export const FIRST_PLACE: EventPlace = { tx: 0n, id: 0n };

const MAX_BIGINT = 2n ** 63n - 1n;

/** The cursor of a place. */
export function cursorOf(place: EventPlace): string {
  return `${place.tx}-${place.id}`;
}

/** The place of a cursor; `"0"` is before every event. Throws `invalid_request` for anything else. */
export function placeOf(cursor: string): EventPlace {
  if (cursor === '0') return FIRST_PLACE;
  const match = /^(\d{1,19})-(\d{1,19})$/.exec(cursor);
  const place = match && { tx: BigInt(match[1] ?? 0), id: BigInt(match[2] ?? 0) };
  if (!place || place.tx > MAX_BIGINT || place.id > MAX_BIGINT)
    throw badCursor('is not the cursor of an event, like "1234-5678"');
  return place;
}

/** Negative when `a` comes before `b`, zero when they are the same place. */
export function comparePlaces(a: EventPlace, b: EventPlace): number {
  if (a.tx !== b.tx) return a.tx < b.tx ? -1 : 1;
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return 0;
}

/** Events of one task after a sequence number, in order, at most `limit`. */
export async function readTaskEvents(
  prisma: PrismaClient,
  { tenantId, taskId }: TaskRef,
  afterSeq: number,
  limit: number,
): Promise<TaskEvent[]> {
  const rows = await prisma.uiEvent.findMany({
    where: { taskId, tenantId, seq: { gt: afterSeq } },
    orderBy: { seq: 'asc' },
    take: limit,
  });
  return rows.map(taskEventOf);
}

/** Events of a tree or a tenant after a place, in order, at most `limit`; only those that nothing can come before any more. */
export async function readScopeEvents(
  prisma: PrismaClient,
  scope: EventScope,
  after: EventPlace,
  limit: number,
): Promise<TaskEvent[]> {
  const rows = await prisma.$queryRaw<EventRow[]>(Prisma.sql`
    select task_id as "taskId", seq, id, tx, root_id as "rootId", type, data, epoch, at
    from ui_events
    where ${whereOf(scope)} and (tx, id) > (${after.tx}::bigint, ${after.id}::bigint)
      and tx < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
    order by tx, id limit ${limit}`);
  return rows.map(taskEventOf);
}

/** True when a tree or tenant has any event after a place, also one that readers may not be shown yet. */
export async function hasEventsAfter(
  prisma: PrismaClient,
  scope: EventScope,
  after: EventPlace,
): Promise<boolean> {
  const rows = await prisma.$queryRaw<unknown[]>(Prisma.sql`
    select 1 as one from ui_events
    where ${whereOf(scope)} and (tx, id) > (${after.tx}::bigint, ${after.id}::bigint) limit 1`);
  return rows.length > 0;
}

/** The newest sequence number of each of these tasks. */
export async function readEventSeqs(
  prisma: PrismaClient,
  taskIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await prisma.task.findMany({
    where: { id: { in: [...taskIds] } },
    select: { id: true, eventSeq: true },
  });
  return new Map(rows.map((row) => [row.id, row.eventSeq]));
}

/** The place after everything that a stream over many tasks could read now. */
export async function currentPlace(prisma: PrismaClient): Promise<EventPlace> {
  const [row] = await prisma.$queryRaw<{ xmin: bigint }[]>(Prisma.sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xmin`);
  return { tx: (row?.xmin ?? 1n) - 1n, id: MAX_BIGINT };
}

function whereOf(scope: EventScope): Prisma.Sql {
  return scope.kind === 'tree'
    ? Prisma.sql`root_id = ${scope.rootId} and tenant_id = ${scope.tenantId}`
    : Prisma.sql`tenant_id = ${scope.tenantId}`;
}

export interface EventRow {
  taskId: string;
  seq: number;
  id: bigint;
  tx: bigint;
  rootId: string;
  type: string;
  data: unknown;
  epoch: number | null;
  at: Date;
}

/** A row of `ui_events` as the API shows it. */
export function taskEventOf(row: EventRow): TaskEvent {
  // Not parsed again: the row was written through the same union, and readers parse what they get.
  return {
    type: row.type,
    data: row.data,
    taskId: row.taskId,
    rootId: row.rootId,
    seq: row.seq,
    cursor: cursorOf(row),
    at: row.at.toISOString(),
    ...(row.epoch === IMPORTED_EPOCH && { imported: true }),
  } as TaskEvent;
}

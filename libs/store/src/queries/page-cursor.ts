/** Opaque cursors of keyset pages. A cursor is bound to the list and filter that gave it: with another one it is refused. */
import { createHash } from 'node:crypto';
import { AppError, isStorableTime } from '@bullpen/contracts';
import { z } from 'zod';
import { Prisma } from '../generated/client.js';

/** Whoever tampers with a cursor must not get text or numbers into a query that Postgres does not take. */
const Id = z.string().regex(/^[a-z0-9_]{1,64}$/);
const Decoded = z.tuple([z.string(), z.array(z.union([Id, z.int()])).max(4)]);

/** The place of a row in its order: the values of the sort columns. */
export type PageKey = readonly (string | number)[];

/** A short fingerprint of what a list is filtered by; `undefined` members do not count. */
export function filterFingerprint(filter: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(filter)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(entries)).digest('base64url').slice(0, 10);
}

/** The cursor after a row. */
export function encodeCursor(fingerprint: string, key: PageKey): string {
  return Buffer.from(JSON.stringify([fingerprint, key])).toString('base64url');
}

/**
 * The place that a cursor names. Throws `invalid_request` (pointer `/after`) when it is not one of ours, or was given by a
 * list with another filter: going on from there would silently skip rows.
 */
export function decodeCursor(fingerprint: string, cursor: string): PageKey {
  const decoded = Decoded.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!decoded.success) throw badCursor('is not a cursor; use nextCursor of the previous page');
  const [given, key] = decoded.data;
  if (given !== fingerprint)
    throw badCursor(
      'belongs to a list with another filter; leave it out to start this list from the beginning',
    );
  return key;
}

/** Where-conditions for the rows behind a key of creation time and id, in the order of a list. Throws `invalid_request` for another key. */
export function beyondKey([time, id]: PageKey, order: 'asc' | 'desc') {
  if (typeof time !== 'number' || typeof id !== 'string' || !isStorableTime(time))
    throw badCursor('is not a cursor of this list');
  const createdAt = new Date(time);
  // The first condition alone lets Postgres start in the index; the second one breaks ties.
  return order === 'asc'
    ? { createdAt: { gte: createdAt }, OR: [{ createdAt: { gt: createdAt } }, { createdAt, id: { gt: id } }] }
    : {
        createdAt: { lte: createdAt },
        OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }],
      };
}

/** The same as SQL over `tasks t`, newest first. */
export function olderThan(fingerprint: string, cursor: string): Prisma.Sql {
  const [time, id] = decodeCursor(fingerprint, cursor);
  if (typeof time !== 'number' || typeof id !== 'string' || !isStorableTime(time))
    throw badCursor('is not a cursor of this list');
  return Prisma.sql`(t.created_at, t.id) < (${new Date(time)}, ${id})`;
}

/** Cuts one row more than a page has into the page: that row only says that there is more. */
export function toPage<Row, View>(
  rows: readonly Row[],
  limit: number,
  viewOf: (row: Row) => View,
  cursorOf: (row: Row) => string,
): { data: View[]; nextCursor: string | null; hasMore: boolean } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit;
  return { data: shown.map(viewOf), nextCursor: hasMore && last ? cursorOf(last) : null, hasMore };
}

/** Rows as their ids say; one may be gone by the time that it is read. */
export function inOrder<Row extends { readonly id: string }>(
  rows: readonly Row[],
  ids: readonly string[],
): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The error for a cursor that cannot be used, in the form that the API shows for any wrong field. */
export function badCursor(why: string): AppError {
  return new AppError('invalid_request', `The cursor in "after" ${why}.`, {
    details: { errors: [{ pointer: '/after', detail: why }] },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not ours; the caller says so.
    return null;
  }
}

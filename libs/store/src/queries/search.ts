/** Search in titles, prompts and messages. */
import type { SearchHit, SearchPage, SearchQuery } from '@bullpen/contracts';
import { Prisma, type PrismaClient } from '../generated/client.js';
import { searchTextsOf } from '../search/search-index.js';
import { marksOf, type Mark } from '../search/terms.js';
import { encodeCursor, filterFingerprint, inOrder, olderThan, toPage } from './page-cursor.js';
import { newestTasks } from './newest-tasks.js';
import { foundBy } from './task-filter.js';

/** Places of one task that are read; the rest is only counted. */
const LOOKED_AT = 20;
const SHOWN = 3;
const COUNTED = 100;
/** Characters around the first mark that are shown. */
const BEFORE = 60;
const AFTER = 160;

const SHOWN_OF_TASK = { id: true, rootId: true, title: true, agent: true, state: true, createdAt: true };

/**
 * Tasks in which all words are in one place, newest first, each with its first places. `mask` takes out what nobody may see, before anything is compared with it: what
 * is masked is not found. A page may have fewer tasks than it could.
 */
export async function searchTasks(
  prisma: PrismaClient,
  tenantId: string,
  { limit, after, q, ...filter }: SearchQuery,
  mask: (text: string) => string,
): Promise<SearchPage> {
  const fingerprint = filterFingerprint({ list: 'search', q, ...filter });
  const beyond = after === undefined ? Prisma.empty : Prisma.sql`and ${olderThan(fingerprint, after)}`;
  const found = await newestTasks(prisma, tenantId, { ...filter, q }, beyond, limit + 1);
  const page = toPage(
    found,
    limit,
    ({ id }) => id,
    ({ createdAt, id }) => encodeCursor(fingerprint, [createdAt.getTime(), id]),
  );
  const [rows, places] = await Promise.all([
    prisma.task.findMany({ where: { id: { in: page.data } }, select: SHOWN_OF_TASK }),
    placesIn(prisma, tenantId, q, page.data),
  ]);
  const data = inOrder(rows, page.data).flatMap((row) => {
    const own = places.filter(({ taskId }) => taskId === row.id);
    const hits = firstHits(own, q, mask);
    if (hits.length === 0) return [];
    const { id: taskId, rootId, title, agent, state, createdAt } = row;
    const hitCount = Math.max(hits.length, Math.min(COUNTED, Number(own[0]?.count ?? 0n)));
    return [
      { ...{ taskId, rootId, title, agent, state, hits, hitCount }, createdAt: createdAt.toISOString() },
    ];
  });
  return { ...page, data };
}

interface Place {
  taskId: string;
  seq: number;
  field: SearchHit['field'];
  at: Date;
  type: string;
  data: unknown;
  count: bigint;
}

/** The first places of each task with the events that they are in. */
async function placesIn(
  prisma: PrismaClient,
  tenantId: string,
  q: string,
  taskIds: readonly string[],
): Promise<Place[]> {
  if (taskIds.length === 0) return [];
  return prisma.$queryRaw<Place[]>(Prisma.sql`
    select s.task_id as "taskId", s.seq, s.field, s.at, s.count, e.type, e.data from (
      select task_id, seq, field, at, count(*) over (partition by task_id) as count,
        row_number() over (partition by task_id order by seq, field desc) as n
      -- Along the tasks and not along the words, which half of all texts may have.
      from (select * from search_texts where task_id = any(${[...taskIds]}) offset 0) texts where ${foundBy(tenantId, q)}) s
    join ui_events e on e.task_id = s.task_id and e.seq = s.seq
    where s.n <= ${LOOKED_AT} order by s.task_id, s.n`);
}

function firstHits(places: readonly Place[], q: string, mask: (text: string) => string): SearchHit[] {
  const hits: SearchHit[] = [];
  for (const place of places) {
    const hit = hitIn(place, q, mask);
    if (hit !== null) hits.push(hit);
    if (hits.length === SHOWN) break;
  }
  return hits;
}

function hitIn(
  { type, data, field, seq, at }: Place,
  q: string,
  mask: (text: string) => string,
): SearchHit | null {
  const text = searchTextsOf(type, data).find((one) => one.field === field)?.text;
  if (text === undefined) return null;
  const shown = mask(text);
  const marks = marksOf(shown, q);
  const [first] = marks ?? [];
  if (marks === null || first === undefined) return null;
  return { field, seq, at: at.toISOString(), ...pieceAround(shown, first, marks) };
}

/** A piece of the text around the first mark; no character is cut in two. */
function pieceAround(text: string, first: Mark, marks: readonly Mark[]) {
  const from = wholeAt(text, Math.max(0, first.start - BEFORE));
  const to = wholeAt(text, Math.min(text.length, Math.max(first.end, first.start + AFTER)));
  return {
    text: text.slice(from, to),
    cutBefore: from > 0,
    cutAfter: to < text.length,
    marks: marks
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
  };
}

/** Not between the halves of a surrogate pair. */
function wholeAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff ? at + 1 : at;
}

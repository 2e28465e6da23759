/** Pages of events, and the sources of streams. */
import type { EventPage, EventsQuery, TaskEvent } from '@bullpen/contracts';
import {
  badCursor,
  FIRST_PLACE,
  getTaskHead,
  placeOf,
  readScopeEvents,
  readTaskEvents,
  type EventPlace,
  TaskTails,
  type Principal,
  type Prisma,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { POOL, PRISMA, type Pool } from '../http/tokens.js';
import { found } from '../tasks/tasks.service.js';
import { scopeSource, taskSource, type EventSource } from './event-source.js';

@Injectable()
export class EventsService {
  private readonly tails: TaskTails;

  constructor(
    @Inject(PRISMA) private readonly prisma: Prisma,
    @Inject(POOL) pool: Pool,
  ) {
    this.tails = new TaskTails(pool);
  }

  /** A page of a task's events, or of its whole tree's. */
  async page({ tenantId }: Principal, taskId: string, query: EventsQuery): Promise<EventPage> {
    const { limit, after } = query;
    const head = found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    if (query.tree === 'true') {
      const scope = { kind: 'tree', tenantId, rootId: head.rootId } as const;
      const from = after === undefined ? FIRST_PLACE : placeOf(after);
      return pageOf(
        await readScopeEvents(this.prisma, scope, from, limit + 1),
        limit,
        (event) => event.cursor,
      );
    }
    const events = await readTaskEvents(this.prisma, { tenantId, taskId }, seqOf(after), limit + 1);
    return pageOf(events, limit, (event) => String(event.seq));
  }

  taskSource({ tenantId }: Principal, taskId: string): EventSource<number> {
    return taskSource(this.tails, { tenantId, taskId });
  }

  async treeSource({ tenantId }: Principal, taskId: string): Promise<EventSource<EventPlace>> {
    const { rootId } = found(await getTaskHead(this.prisma, tenantId, taskId), taskId);
    return scopeSource(this.prisma, { kind: 'tree', tenantId, rootId });
  }

  tenantSource({ tenantId }: Principal): EventSource<EventPlace> {
    return scopeSource(this.prisma, { kind: 'tenant', tenantId });
  }
}

/** The sequence number in `after`; 0, before every event, when there is none. Throws `invalid_request`. */
export function seqOf(after: string | undefined): number {
  if (after === undefined) return 0;
  if (!/^\d{1,9}$/.test(after))
    throw badCursor('is not the sequence number of an event; with tree=true it may be a cursor');
  return Number(after);
}

function pageOf(events: TaskEvent[], limit: number, idOf: (event: TaskEvent) => string): EventPage {
  const data = events.slice(0, limit);
  const last = data.at(-1);
  const hasMore = events.length > limit;
  // Also given on the last page: whoever reads on later, or opens a stream, starts from here.
  return { data, nextAfter: last ? idOf(last) : null, hasMore };
}

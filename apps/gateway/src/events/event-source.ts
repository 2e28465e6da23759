/** Where a stream's rows come from and how its places compare: one task by sequence number, many tasks by cursor. */
import { type BusMessage, isTerminal, type TaskEvent } from '@bullpen/contracts';
import {
  comparePlaces,
  currentPlace,
  cursorOf,
  getTaskHead,
  hasEventsAfter,
  placeOf,
  readScopeEvents,
  type EventPlace,
  type EventScope,
  type Prisma,
  type TaskHead,
  type TaskRef,
  type TaskTails,
} from '@bullpen/store';
import { found } from '../tasks/tasks.service.js';

/**
 * `open`: the task goes on. `ending`: it has ended, and its last rows come after this place. `over`: nothing comes after it.
 */
export type Outlook = 'open' | 'ending' | 'over';

/** Where a stream begins. */
export interface Beginning<Place> {
  readonly place: Place;
  readonly outlook: Outlook;
  /** True when nothing that can be read now comes after the place. */
  readonly isNewest: boolean;
}

/** Events after a place, in order. */
export interface Look {
  readonly events: readonly TaskEvent[];
  /** Whether something can still come after them. */
  outlook(): Promise<Outlook>;
}

export interface EventSource<Place> {
  /** Equal for streams of the same thing. */
  readonly key: string;
  /** The task at whose end the stream ends; null for a stream that never ends. */
  readonly endsWith: string | null;
  /**
   * Where a reader begins that asks for what comes after a place; null: from now on. One that claims to have seen more than there is (another
   * database, a typing error) has seen all that is there: its place must not become that of a feed, whose others would never be served. Throws `not_found`.
   */
  begin(after: Place | null): Promise<Beginning<Place>>;
  /** At most `limit` events. */
  look(after: Place, limit: number): Promise<Look>;
  placeOf(event: TaskEvent): Place;
  /** Negative when `a` comes before `b`. */
  compare(a: Place, b: Place): number;
  /** The SSE id of a place. */
  idOf(place: Place): string;
}

/** The events of one task. Place: the sequence number. */
export function taskSource(tails: TaskTails, task: TaskRef): EventSource<number> {
  const { taskId } = task;
  return {
    key: taskKey(taskId),
    endsWith: taskId,
    begin: async (after) => {
      const { head } = found(await tails.look(task, 0, 0), taskId);
      const place = Math.min(after ?? head.eventSeq, head.eventSeq);
      return { place, outlook: outlookOf(head, place), isNewest: place === head.eventSeq };
    },
    look: async (after, limit) => {
      const tail = await tails.look(task, after, limit);
      if (tail === null) return { events: [], outlook: () => Promise.resolve('over') };
      const { head, events } = tail;
      return { events, outlook: () => Promise.resolve(outlookOf(head, events.at(-1)?.seq ?? after)) };
    },
    placeOf: (event) => event.seq,
    compare: (a, b) => a - b,
    idOf: String,
  };
}

function outlookOf(head: TaskHead, place: number): Outlook {
  if (!isTerminal(head.state)) return 'open';
  return place >= head.eventSeq ? 'over' : 'ending';
}

/** The events of a tree or of all tasks of a tenant. Place: transaction and row. */
export function scopeSource(prisma: Prisma, scope: EventScope): EventSource<EventPlace> {
  const { tenantId } = scope;
  const rootId = scope.kind === 'tree' ? scope.rootId : null;
  const outlook = async (place: EventPlace): Promise<Outlook> => {
    if (rootId === null) return 'open';
    const head = await getTaskHead(prisma, tenantId, rootId);
    if (head !== null && !isTerminal(head.state)) return 'open';
    return (await hasEventsAfter(prisma, scope, place)) ? 'ending' : 'over';
  };
  return {
    key: rootId === null ? tenantKey(tenantId) : treeKey(rootId),
    endsWith: rootId,
    begin: async (after) => {
      const latest = await currentPlace(prisma);
      const place = after === null || comparePlaces(after, latest) > 0 ? latest : after;
      return { place, outlook: await outlook(place), isNewest: false };
    },
    look: async (after, limit) => {
      const events = await readScopeEvents(prisma, scope, after, limit);
      const last = events.at(-1);
      return { events, outlook: () => outlook(last === undefined ? after : placeOf(last.cursor)) };
    },
    placeOf: (event) => placeOf(event.cursor),
    compare: comparePlaces,
    idOf: cursorOf,
  };
}

/** The keys of all sources that a message of the bus may be about. */
export function keysOf(message: Extract<BusMessage, { kind: 'rows' | 'delta' }>): readonly string[] {
  const { taskId, rootId } = message.kind === 'rows' ? message : message.delta;
  return [taskKey(taskId), treeKey(rootId), tenantKey(message.tenantId)];
}

const taskKey = (id: string): string => `task:${id}`;
const treeKey = (id: string): string => `tree:${id}`;
const tenantKey = (id: string): string => `tenant:${id}`;

/** True for the event with which a task ends. */
export function isEndOf(taskId: string | null, event: TaskEvent): boolean {
  return event.type === 'task.status_changed' && event.taskId === taskId && isTerminal(event.data.to);
}

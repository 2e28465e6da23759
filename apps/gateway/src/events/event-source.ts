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
  readTaskEvents,
  type EventPlace,
  type EventScope,
  type Prisma,
  type TaskRef,
} from '@bullpen/store';

/**
 * `open`: the task goes on. `ending`: it has ended, and its last rows come after this place. `over`: nothing comes after it.
 */
export type Outlook = 'open' | 'ending' | 'over';

export interface EventSource<Place> {
  /** Equal for streams of the same thing. */
  readonly key: string;
  /** The task at whose end the stream ends; null for a stream that never ends. */
  readonly endsWith: string | null;
  read(after: Place, limit: number): Promise<TaskEvent[]>;
  placeOf(event: TaskEvent): Place;
  /** Negative when `a` comes before `b`. */
  compare(a: Place, b: Place): number;
  /** The SSE id of a place. */
  idOf(place: Place): string;
  /** The place of the newest that can be read now, or a later one. */
  latest(): Promise<Place>;
  /** Whether something can still come after a place. */
  outlook(place: Place): Promise<Outlook>;
  /** True when a message of the bus is about this stream. */
  covers(message: BusMessage): boolean;
}

/** The events of one task. Place: the sequence number. */
export function taskSource(prisma: Prisma, task: TaskRef): EventSource<number> {
  const { tenantId, taskId } = task;
  return {
    key: `task:${taskId}`,
    endsWith: taskId,
    read: (after, limit) => readTaskEvents(prisma, task, after, limit),
    placeOf: (event) => event.seq,
    compare: (a, b) => a - b,
    idOf: String,
    latest: async () => (await getTaskHead(prisma, tenantId, taskId))?.eventSeq ?? 0,
    outlook: async (place) => {
      const head = await getTaskHead(prisma, tenantId, taskId);
      if (head !== null && !isTerminal(head.state)) return 'open';
      return head === null || place >= head.eventSeq ? 'over' : 'ending';
    },
    covers: (message) => taskIdOf(message) === taskId,
  };
}

/** The events of a tree or of all tasks of a tenant. Place: transaction and row. */
export function scopeSource(prisma: Prisma, scope: EventScope): EventSource<EventPlace> {
  const { tenantId } = scope;
  const rootId = scope.kind === 'tree' ? scope.rootId : null;
  return {
    key: rootId === null ? `tenant:${tenantId}` : `tree:${rootId}`,
    endsWith: rootId,
    read: (after, limit) => readScopeEvents(prisma, scope, after, limit),
    placeOf: (event) => placeOf(event.cursor),
    compare: comparePlaces,
    idOf: cursorOf,
    latest: () => currentPlace(prisma),
    outlook: async (place) => {
      if (rootId === null) return 'open';
      const head = await getTaskHead(prisma, tenantId, rootId);
      if (head !== null && !isTerminal(head.state)) return 'open';
      return (await hasEventsAfter(prisma, scope, place)) ? 'ending' : 'over';
    },
    covers: (message) =>
      message.kind !== 'provider' &&
      message.kind !== 'worker' &&
      message.tenantId === tenantId &&
      (rootId === null || rootIdOf(message) === rootId),
  };
}

/** True for the event with which a task ends. */
export function isEndOf(taskId: string | null, event: TaskEvent): boolean {
  return event.type === 'task.status_changed' && event.taskId === taskId && isTerminal(event.data.to);
}

function taskIdOf(message: BusMessage): string | null {
  if (message.kind === 'rows') return message.taskId;
  return message.kind === 'delta' ? message.delta.taskId : null;
}

function rootIdOf(message: BusMessage): string | null {
  if (message.kind === 'delta') return message.delta.rootId;
  return 'rootId' in message ? message.rootId : null;
}

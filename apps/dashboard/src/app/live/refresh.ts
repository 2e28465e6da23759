/** Which of the data that was read has changed, by the events of the stream. */
import { isStored, type StreamItem } from '@bullpen/client';
import type { TaskEvent } from '@bullpen/contracts';
import type { QueryClient } from '@tanstack/react-query';
import type { LiveSource } from './live-source.js';
import { Refresher } from './refresher.js';

/** First part of the keys of queries. */
export type Subject =
  'tasks' | 'interactions' | 'system' | 'failures' | 'usage' | 'checkpoints' | 'queues' | 'workers';

/** A list that is read twice a second is as fresh as anyone can see. */
const GATHER_MS = 400;
/** What is drawn over hours needs no more. */
const SLOW_MS = 3_000;
const WITHIN_MS: Readonly<Partial<Record<Subject, number>>> = {
  usage: SLOW_MS,
  queues: SLOW_MS,
  workers: SLOW_MS,
};

/** What an event changes beside its own task. */
export function subjectsOf({ type }: Pick<TaskEvent, 'type'>): Subject[] {
  switch (type) {
    case 'interaction.opened':
    case 'interaction.closed':
      return ['interactions', 'tasks'];
    case 'task.created':
    case 'task.updated':
      return ['tasks', 'system', 'queues'];
    case 'task.status_changed':
      return ['tasks', 'system', 'failures', 'interactions', 'queues', 'workers'];
    case 'usage.recorded':
      return ['tasks', 'usage'];
    case 'checkpoint.taken':
      return ['checkpoints'];
    case 'worker.lost':
      return ['system', 'workers'];
    default:
      return [];
  }
}

/** Until the returned function is called. */
export function refreshOnEvents(source: LiveSource, queries: QueryClient): () => void {
  const refresher = new Refresher(queries);
  const gather = (item: StreamItem): void => {
    if (!isStored(item)) return;
    for (const id of new Set([item.taskId, item.rootId])) refresher.stale(['task', id], GATHER_MS);
    for (const subject of subjectsOf(item)) refresher.stale([subject], WITHIN_MS[subject] ?? GATHER_MS);
  };
  const stopItems = source.onItem(gather);
  const stopStates = source.onState(() => {
    // What was read before may have missed something.
    if (source.state === 'live') void queries.invalidateQueries();
  });
  return () => {
    stopItems();
    stopStates();
    refresher.stop();
  };
}

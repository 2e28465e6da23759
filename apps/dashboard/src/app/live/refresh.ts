/**
 * Which of the data that was read has changed, by the events of the stream. Reads are gathered: a fleet of tasks makes hundreds of events a
 * second, and a list that is read twice a second is as fresh as anyone can see.
 */
import { isStored, type StreamItem } from '@bullpen/client';
import type { TaskEvent } from '@bullpen/contracts';
import type { QueryClient } from '@tanstack/react-query';
import type { LiveSource } from './live-source.js';

/** First part of the keys of queries. */
export type Subject = 'tasks' | 'task' | 'interactions' | 'system' | 'failures' | 'usage' | 'checkpoints';

const GATHER_MS = 400;

/** What an event changes beside its own task. */
export function subjectsOf({ type }: Pick<TaskEvent, 'type'>): Subject[] {
  switch (type) {
    case 'interaction.opened':
    case 'interaction.closed':
      return ['interactions', 'tasks'];
    case 'task.created':
    case 'task.updated':
      return ['tasks', 'system'];
    case 'task.status_changed':
      return ['tasks', 'system', 'failures', 'interactions'];
    case 'usage.recorded':
      return ['tasks', 'usage'];
    case 'checkpoint.taken':
      return ['checkpoints'];
    case 'worker.lost':
      return ['system'];
    default:
      return [];
  }
}

/** Until the returned function is called. */
export function refreshOnEvents(source: LiveSource, queries: QueryClient): () => void {
  const subjects = new Set<Subject>();
  const tasks = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const refresh = (): void => {
    timer = null;
    for (const subject of subjects) void queries.invalidateQueries({ queryKey: [subject] });
    for (const taskId of tasks) void queries.invalidateQueries({ queryKey: ['task', taskId] });
    subjects.clear();
    tasks.clear();
  };
  const gather = (item: StreamItem): void => {
    if (!isStored(item)) return;
    tasks.add(item.taskId).add(item.rootId);
    for (const subject of subjectsOf(item)) subjects.add(subject);
    timer ??= setTimeout(refresh, GATHER_MS);
  };
  const stopItems = source.onItem(gather);
  const stopStates = source.onState(() => {
    // What was read before may have missed something.
    if (source.state === 'live') void queries.invalidateQueries();
  });
  return () => {
    stopItems();
    stopStates();
    if (timer !== null) clearTimeout(timer);
  };
}

/** Whether tasks that waited for people were woken as they should: once for each answer, and for nothing else. */
import type { ConsentBooks, EventRow } from './consent-rows.js';

/** What comes with an answer, between it and the wake. */
const BETWEEN = new Set(['autonomy.switched', 'todo.updated']);

/** A line for each task that was woken too often, too rarely, or by something else than an answer. */
export function wrongWakes({ events, tasks }: Pick<ConsentBooks, 'events' | 'tasks'>): string[] {
  return tasks.flatMap(({ id, title, wake }) => {
    const own = events.filter(({ taskId }) => taskId === id);
    const queued = own.filter(({ data, type }) => isMove(type) && data['to'] === 'queued').length;
    const count =
      wake === queued + 1 ? [] : [`${title} is at wake ${wake}, and was queued ${queued + 1} times`];
    return [...count, ...wakesOf(title, own)];
  });
}

function wakesOf(title: string, events: readonly EventRow[]): string[] {
  const found: string[] = [];
  let waits = false;
  let why: string | null = null;
  for (const { type, data } of events) {
    if (isMove(type)) {
      const wakes = data['from'] === 'waiting' && data['to'] === 'queued';
      if (wakes && why === null) found.push(`${title} was woken, and there was no answer`);
      waits = data['to'] === 'waiting';
      why = null;
    } else if (!BETWEEN.has(type)) {
      if (why === 'answer' && waits) found.push(`${title} was answered, and not woken`);
      why = reason(type, data);
    }
  }
  return found;
}

function reason(type: string, data: EventRow['data']): 'answer' | 'subtask' | null {
  if (type === 'subtask.ended') return 'subtask';
  return type === 'interaction.closed' && data['state'] !== 'withdrawn' ? 'answer' : null;
}

function isMove(type: string): boolean {
  return type === 'task.status_changed';
}

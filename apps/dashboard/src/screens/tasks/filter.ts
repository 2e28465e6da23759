/** The filter of the task list, as it stands in its address, and as the gateway takes it. Pure. */
import type { TaskFilter } from '@bullpen/client';
import { TaskState, type WaitReason } from '@bullpen/contracts';
import { z } from 'zod';

/** `needs`: waits for a person. */
const Standing = z.enum(['needs', ...TaskState.options]);
export type Standing = z.infer<typeof Standing>;

const text = z.string().min(1).max(200).optional().catch(undefined);

/** What is wrong in an address is left out, so that an old link still opens. */
export const TasksSearch = z.object({
  q: text,
  state: Standing.optional().catch(undefined),
  agent: text,
  tag: text,
  /** Changed since so long ago. */
  since: z.enum(['1h', '24h', '7d']).optional().catch(undefined),
  /** With subtasks. */
  all: z.boolean().optional().catch(undefined),
  archived: z.boolean().optional().catch(undefined),
  /** How they failed: the signature of a group. */
  failure: text,
});
export type TasksSearch = z.infer<typeof TasksSearch>;

const HOURS = { '1h': 1, '24h': 24, '7d': 168 } as const;
const FOR_PEOPLE: readonly WaitReason[] = ['approval', 'answer', 'budget'];

/** The time is rounded to minutes: a filter that changed with every look would be another list each time. */
export function filterOf(search: TasksSearch, now: number): TaskFilter {
  const { q, state, agent, tag, since, all, archived, failure } = search;
  const from = since && new Date(Math.floor(now / 60_000) * 60_000 - HOURS[since] * 3_600_000).toISOString();
  return {
    ...(all !== true && failure === undefined && { roots: true }),
    ...(q !== undefined && { q }),
    ...stateFilter(state),
    ...(agent !== undefined && { agent }),
    ...(tag !== undefined && { tag }),
    ...(from !== undefined && { updatedAfter: from }),
    ...(archived === true && { archived: 'only' as const }),
    ...(failure !== undefined && { failure }),
  };
}

function stateFilter(state: Standing | undefined): Pick<TaskFilter, 'state' | 'waitReason'> {
  if (state === undefined) return {};
  return state === 'needs' ? { state: ['waiting'], waitReason: [...FOR_PEOPLE] } : { state: [state] };
}

/** Whether anything is left out beside subtasks. */
export function isFiltered({ all: _all, ...rest }: TasksSearch): boolean {
  return Object.values(rest).some((value) => value !== undefined);
}

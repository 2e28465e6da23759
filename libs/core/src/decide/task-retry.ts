/** Whether a task may be given another attempt, and with which limits. */
import {
  isTerminal,
  nanoUsdOf,
  usdOf,
  type Limits,
  type StopCause,
  type TaskState,
} from '@bullpen/contracts';

/** What the decision looks at. */
export interface RetryableTask {
  readonly id: string;
  readonly parentId: string | null;
  readonly state: TaskState;
  readonly stopCause: StopCause | null;
  readonly turns: number;
  readonly activeMs: number;
  readonly tokens: number;
  /** Spent by the whole tree. */
  readonly spentNanoUsd: bigint;
  readonly isImported: boolean;
}

/** Why not; `pointer` names the field of the request that would help, when there is one. */
export interface RetryRefusal {
  readonly reason: string;
  readonly pointer: string | null;
}

/**
 * Null when the task may go on from where it stopped with these limits. Only a failed task can; a subtask belongs to its parent,
 * which already knows of the failure; and a limit that ended the task must have room again.
 */
export function retryRefusal(task: RetryableTask, limits: Limits): RetryRefusal | null {
  if (task.isImported) return importRefusal(task);
  if (task.state !== 'failed') {
    const reason = isTerminal(task.state)
      ? `Task ${task.id} is ${task.state}; only a failed task can go on from where it stopped.`
      : `Task ${task.id} is ${task.state}; only a failed task can be retried.`;
    return { reason, pointer: null };
  }
  if (task.parentId !== null) {
    return {
      reason: `Task ${task.id} is a subtask, and its parent already knows that it failed; retry the root of its tree.`,
      pointer: null,
    };
  }
  return exhausted(task, limits);
}

/**
 * Null when an ended task may go on with a message of its user, whatever its end. A subtask cannot: its parent has its result. There
 * must be room below every limit, or the task would only take its last turn.
 */
export function goOnRefusal(task: RetryableTask, limits: Limits): RetryRefusal | null {
  if (task.isImported) return importRefusal(task);
  if (task.parentId !== null) {
    return {
      reason: `Task ${task.id} is a subtask that has ended, and its parent already has its result; send the message to the root of its tree.`,
      pointer: null,
    };
  }
  const causes = ['turn_limit', 'time_limit', 'token_limit', 'cost_limit'] as const;
  for (const stopCause of causes) {
    const refusal = exhausted({ ...task, stopCause }, limits);
    if (refusal) return refusal;
  }
  return null;
}

/** Null when the task may be started over as a new task: it only has to have ended. */
export function redoRefusal(task: Pick<RetryableTask, 'id' | 'state' | 'isImported'>): RetryRefusal | null {
  if (task.isImported) return importRefusal(task);
  const { id, state } = task;
  if (isTerminal(state)) return null;
  return { reason: `Task ${id} is ${state}; only a task that has ended can be started over.`, pointer: null };
}

/** It ran elsewhere, as an agent that may not be here: nothing of it can go on but a copy. */
export function importRefusal({ id }: Pick<RetryableTask, 'id'>): RetryRefusal {
  return {
    reason: `Task ${id} was imported and runs nothing here; fork it to go on from it.`,
    pointer: null,
  };
}

function exhausted(task: RetryableTask, limits: Limits): RetryRefusal | null {
  switch (task.stopCause) {
    case 'turn_limit':
      return needsMore('turns', task.turns, limits.turns, String);
    case 'time_limit':
      return needsMore('activeMs', task.activeMs, limits.activeMs, String);
    case 'token_limit':
      return needsMore('tokens', task.tokens, limits.tokens, String);
    case 'cost_limit':
      return limits.costUsd === null
        ? null
        : needsMore('costUsd', task.spentNanoUsd, nanoUsdOf(limits.costUsd), usdOf);
    default:
      return null;
  }
}

function needsMore<T extends number | bigint>(
  field: keyof Limits,
  used: T,
  limit: T,
  show: (value: T) => string,
): RetryRefusal | null {
  if (limit > used) return null;
  return {
    reason: `The task has used ${show(used)} of ${show(limit)} (limits.${field}); set a higher limit to go on.`,
    pointer: `/limits/${field}`,
  };
}

/** What the agent is told at the start of another attempt. */
export function retryMessage(message: string | null): string {
  const base =
    'This task was stopped and gets another attempt. Go on from where you are; what is done stays done.';
  return message === null ? base : `${base}\n${message}`;
}

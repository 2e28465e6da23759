/** What the end of a step makes of a task; the same in every store. */
import type { DurableEventBody, TaskState } from '@bullpen/contracts';
import { isOwnEnd } from './completion.js';
import type { StepEnd } from '../ports/store.js';

/** An end that the agent chose does not happen while a message waits for it. */
export function requiresEmptyInbox(end: StepEnd | null): boolean {
  return end?.kind === 'finish' && isOwnEnd(end.outcome.cause);
}

/** The state that a step leaves the task in; null: still running. Where a pause was requested, what would wait or be queued is paused. */
export function stateAfter(end: StepEnd | null): TaskState | null {
  switch (end?.kind) {
    case undefined:
      return null;
    case 'suspend':
    case 'retry':
      return 'waiting';
    case 'pause':
      return 'paused';
    case 'yield':
      return 'queued';
    case 'finish':
      return end.outcome.state;
  }
}

/** The events that every store writes at the end of a step, after the step's own. */
export function endEvents(end: StepEnd | null, attempt: number): readonly DurableEventBody[] {
  const to = stateAfter(end);
  if (end === null || to === null) return [];
  const data = { from: 'running' as const, to };
  if (end.kind === 'suspend')
    return [{ type: 'task.status_changed', data: { ...data, reason: end.wait.reason } }];
  if (end.kind === 'yield')
    return [
      {
        type: 'task.status_changed',
        data: { ...data, note: 'The worker is stopping; another one goes on.' },
      },
    ];
  if (end.kind === 'pause') return [{ type: 'task.status_changed', data }];
  if (end.kind === 'retry') {
    const { failure, wait } = end;
    const nextAttemptInMs = wait.dueInMs ?? 0;
    return [
      { type: 'attempt.ended', data: { attempt, outcome: failure.cause, failure, nextAttemptInMs } },
      { type: 'task.status_changed', data: { ...data, reason: wait.reason } },
    ];
  }
  const { cause, failure } = end.outcome;
  return [
    { type: 'attempt.ended', data: { attempt, outcome: cause } },
    { type: 'task.status_changed', data: { ...data, cause, failure } },
  ];
}

/** Events that tell of something started; where a cancel or a pause came first, it does not start, and there is no such event. */
export function isStart({ type }: Pick<DurableEventBody, 'type'>): boolean {
  return type === 'tool.started' || type === 'workspace.setup_started';
}

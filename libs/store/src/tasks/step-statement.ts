/** A step as the statement that stores it. */
import {
  endEvents,
  isStart,
  requiresEmptyInbox,
  stateAfter,
  type Lease,
  type Step,
  type StepEnd,
} from '@bullpen/core';
import type { QueryConfig } from 'pg';
import { pgJson, prepared } from '../steps/sql.js';
import { childRow } from './birth.js';
import { modelCallRow, usageRow } from './task-rows.js';

export interface StepContext {
  /** Number of the task's attempt. */
  readonly attempt: number;
  readonly newId: (prefix: 'msg') => string;
}

/** `commit-step` with its parameters, in the form for what is not usual. */
export function stepStatement(
  lease: Lease,
  step: Step,
  end: StepEnd | null,
  { attempt, newId }: StepContext,
): QueryConfig {
  const events = [...step.events, ...endEvents(end, attempt)];
  const { interactions: open, withdrawn, dropFrom, checkpoints, setups, transition } = step;
  const whole = [
    ...usualValues(lease, { ...step, events }, 1),
    pgJson(rarePatch(step)),
    step.consumedInbox,
    end ? pgJson(endColumns(end)) : null,
    pgJson({ open, withdrawn, dropFrom, checkpoints, setups, ...(transition && { transition }) }),
  ];
  if (step.children.length === 0) return prepared('commit-step-childless', whole);
  const children = step.children.map((child) => childRow(child, newId('msg')));
  return prepared('commit-step', [...whole, pgJson(children)]);
}

/** True of a step without children, delivered messages, interactions, rare changes of the row, and end: the lean form has no parts for them. */
export function isUsual(step: Step): boolean {
  const { children, consumedInbox, interactions, withdrawn, checkpoints, setups } = step;
  const rows = [children, consumedInbox, interactions, withdrawn, checkpoints, setups];
  const isPlain = step.dropFrom === null && step.transition === null && step.end === null;
  return isPlain && rows.every(({ length }) => length === 0) && Object.keys(rarePatch(step)).length === 0;
}

/** Which of the usual values are lists of rows, as JSON. */
export const ROW_LISTS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6]);

/** The parameters that every step has. Its rows hold its number: by that a statement for several steps knows which are whose. */
export function usualValues(lease: Lease, step: Step, number: number): readonly unknown[] {
  const { turns, mistakes, activeMs, workspacePath, sandbox } = step.patch;
  const rows = (list: readonly object[]) => pgJson(list.map((row) => ({ number, ...row })));
  return [
    lease.taskId,
    lease.epoch,
    rows(step.messages),
    rows(placedEvents(step.events)),
    rows(step.modelCalls.map(modelCallRow)),
    rows(step.toolCalls),
    rows(step.usage.map(usageRow)),
    step.reserveNanoUsd.toString(),
    step.releaseNanoUsd.toString(),
    turns ?? null,
    mistakes ?? null,
    activeMs ?? null,
    ...usageSums(step.usage),
    step.messages.length,
    step.events.length,
    step.events.filter((event) => !isStart(event)).length,
    workspacePath ?? null,
    sandbox ?? null,
    step.toolCalls.length,
    number,
  ];
}

/** What a usual step does not change of the row. */
function rarePatch({ patch }: Step): object {
  const { turns, mistakes, activeMs, workspacePath, sandbox, pendingCause, leftBy, ...rare } = patch;
  return {
    ...rare,
    ...(pendingCause === undefined ? {} : { pendingCause, setPendingCause: true }),
    ...(leftBy === undefined ? {} : { takenOver: true }),
  };
}

/** The sums of a step's usage, as its statement takes them: input, output, cache read, two cache writes, nano-dollars. */
function usageSums(usage: Step['usage']): readonly (number | string)[] {
  const sum = (of: (tokens: Step['usage'][number]['usage']) => number) =>
    usage.reduce((total, use) => total + of(use.usage), 0);
  return [
    sum((tokens) => tokens.inputTokens),
    sum((tokens) => tokens.outputTokens),
    sum((tokens) => tokens.cacheReadTokens),
    sum((tokens) => tokens.cacheWrite5mTokens),
    sum((tokens) => tokens.cacheWrite1hTokens),
    usage.reduce((total, { costNanoUsd }) => total + (costNanoUsd ?? 0n), 0n).toString(),
  ];
}

/** Events with their places in the step; a step that finds a cancel or a pause leaves starts out. */
function placedEvents(events: Step['events']) {
  let kept = 0;
  return events.map((event, at) => {
    if (!isStart(event)) kept += 1;
    return { ...event, place: at + 1, placeIfStopping: kept };
  });
}

function endColumns(end: StepEnd) {
  const state = stateAfter(end);
  switch (end.kind) {
    case 'yield':
    case 'pause':
      return { state };
    case 'retry':
      return {
        state,
        waitReason: end.wait.reason,
        waitId: end.waitId,
        failure: end.failure,
        nextAttempt: true,
      };
    case 'suspend':
      return { state, waitReason: end.wait.reason, waitId: end.waitId };
    case 'finish': {
      const { output, partial, cause, failure } = end.outcome;
      return { state, output, partial, cause, failure, requireEmptyInbox: requiresEmptyInbox(end) };
    }
  }
}

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

/** `commit-step` with its parameters, in the shortest form that fits the step. */
export function stepStatement(
  lease: Lease,
  step: Step,
  end: StepEnd | null,
  { attempt, newId }: StepContext,
): QueryConfig {
  const events = [...step.events, ...endEvents(end, attempt)];
  const { turns, mistakes, activeMs, workspacePath, sandbox, pendingCause, leftBy, ...patch } = step.patch;
  const rare = {
    ...patch,
    ...(pendingCause === undefined ? {} : { pendingCause, setPendingCause: true }),
    ...(leftBy === undefined ? {} : { takenOver: true }),
  };
  const common = [
    lease.taskId,
    lease.epoch,
    pgJson(step.messages),
    pgJson(placedEvents(events)),
    pgJson(step.modelCalls.map(modelCallRow)),
    pgJson(step.toolCalls),
    pgJson(step.usage.map(usageRow)),
    step.reserveNanoUsd.toString(),
    step.releaseNanoUsd.toString(),
    turns ?? null,
    mistakes ?? null,
    activeMs ?? null,
    ...usageSums(step.usage),
    step.messages.length,
    events.length,
    events.filter((event) => !isStart(event)).length,
    workspacePath ?? null,
    sandbox ?? null,
  ];
  const childless = step.children.length === 0;
  const { interactions: open, withdrawn, dropFrom, checkpoints, setups, transition } = step;
  const rows = open.length + withdrawn.length + checkpoints.length + setups.length;
  const more = rows > 0 || dropFrom !== null || transition !== null;
  const lean =
    childless && !more && step.consumedInbox.length + Object.keys(rare).length === 0 && end === null;
  if (lean) return prepared('commit-step-lean', common);
  const whole = [
    ...common,
    pgJson(rare),
    step.consumedInbox,
    end ? pgJson(endColumns(end)) : null,
    pgJson({ open, withdrawn, dropFrom, checkpoints, setups, ...(transition && { transition }) }),
  ];
  if (childless) return prepared('commit-step-childless', whole);
  const children = step.children.map((child) => childRow(child, newId('msg')));
  return prepared('commit-step', [...whole, pgJson(children)]);
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

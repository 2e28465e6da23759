/**
 * How an agent's mistakes count up: a failed call weighs two, one that succeeds takes one back. So six failures in a row are too
 * many, and so is every second call over twenty of them; a failure now and then is not. If one success cleared everything, an agent
 * that fails, looks around and fails again could go on forever. The same for a count per tool, which a second tool would clear.
 */
import type { ToolCallRecord } from '../task/task.js';

const FAILURE = 2;
const SUCCESS = -1;

/** Three failures in a row: the agent is told to stop and think. */
export const STERN_MISTAKES = 3 * FAILURE;
/** Six in a row, or ten that are each followed by a success: somebody has to help. */
export const FATAL_MISTAKES = 11;

/**
 * The count after the calls of a turn. Calls of one turn were made together, so their failures weigh no more than three: the agent
 * has to see them first.
 */
export function mistakesAfter(mistakes: number, calls: readonly ToolCallRecord[]): number {
  const failures = calls.filter(isMistake).length;
  const successes = calls.filter(({ isError }) => !isError).length;
  return Math.max(0, mistakes + Math.min(failures * FAILURE, STERN_MISTAKES) + successes * SUCCESS);
}

/** The count after an answer without anything in it. */
export function mistakesAfterEmpty(mistakes: number): number {
  return mistakes + FAILURE;
}

/** The count as a number of failures that no success has offset. */
export function failuresOf(mistakes: number): number {
  return Math.ceil(mistakes / FAILURE);
}

/** A person's refusal or an interrupt is not a mistake of the agent. */
function isMistake({ isError, status, approval }: ToolCallRecord): boolean {
  return isError && status !== 'canceled' && approval?.by !== 'user';
}

/** The limits of a task: which one has been reached, and how a parent's limits bound those of its child. */
import { plural, type Limits, type ModelProfile, type StopCause } from '@bullpen/contracts';
import { nanoUsdOf } from '@bullpen/contracts';
import { onTerms, promptTokensOf, type ModelPrice } from './prices.js';
import type { TaskRecord } from './task.js';

/** Defaults for a task: 200 turns, 8 hours of work, 20 million tokens, 5 dollars for the whole tree, 100 subtasks, depth 5. */
export const DEFAULT_LIMITS: Limits = {
  turns: 200,
  activeMs: 8 * 3_600_000,
  tokens: 20_000_000,
  costUsd: '5.00',
  subtasks: 100,
  depth: 5,
};

/** The limit that a task has reached before its next model call; null while there is room. Money is checked by the reservation. */
export function reachedLimit(
  task: TaskRecord,
  activeMs: number,
  now: number,
): { cause: StopCause; message: string } | null {
  const { limits } = task.definition;
  const tokens = promptTokensOf(task.usage) + task.usage.outputTokens;
  if (isOverdue(task, now) && task.deadlineAt !== null)
    return { cause: 'deadline', message: `The deadline ${task.deadlineAt.toISOString()} has passed.` };
  if (task.turns >= limits.turns)
    return { cause: 'turn_limit', message: `The limit of ${plural(limits.turns, 'turn')} has been reached.` };
  if (activeMs >= limits.activeMs) {
    return {
      cause: 'time_limit',
      message: `The limit of ${Math.round(limits.activeMs / 1_000)} s of working time has been reached.`,
    };
  }
  if (tokens >= limits.tokens)
    return {
      cause: 'token_limit',
      message: `The limit of ${plural(limits.tokens, 'token')} has been reached.`,
    };
  return null;
}

/** True when the deadline of a task has passed. `now` in ms since the epoch. */
export function isOverdue({ deadlineAt }: Pick<TaskRecord, 'deadlineAt'>, now: number): boolean {
  return deadlineAt !== null && now >= deadlineAt.getTime();
}

/** Each bound at most as wide as on the other side. */
export function narrowLimits(a: Limits, b: Limits): Limits {
  return {
    turns: Math.min(a.turns, b.turns),
    activeMs: Math.min(a.activeMs, b.activeMs),
    tokens: Math.min(a.tokens, b.tokens),
    costUsd: smallerUsd(a.costUsd, b.costUsd),
    subtasks: Math.min(a.subtasks, b.subtasks),
    depth: Math.min(a.depth, b.depth),
  };
}

/** The smaller amount; null means no limit. */
function smallerUsd(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return nanoUsdOf(a) < nanoUsdOf(b) ? a : b;
}

/** Minimum of characters per token: real text has 3 to 4, so a reservation made with this is not too small in practice. */
const MIN_CHARS_PER_TOKEN = 2.5;

/** The most that a request of `chars` characters can cost: all of it written to the cache, and the longest answer. */
export function worstCaseNanoUsd(
  chars: number,
  { maxOutputTokens, cacheTtl }: Pick<ModelProfile, 'maxOutputTokens' | 'cacheTtl'>,
  price: ModelPrice,
): bigint {
  const promptTokens = BigInt(Math.ceil(chars / MIN_CHARS_PER_TOKEN));
  const write = cacheTtl === '1h' ? price.cacheWrite1hNanoUsd : price.cacheWrite5mNanoUsd;
  const perToken = write > price.inputNanoUsd ? write : price.inputNanoUsd;
  return onTerms(promptTokens * perToken + BigInt(maxOutputTokens) * price.outputNanoUsd, price);
}

/** Notices an agent that goes round in circles: the same calls with the same results, again and again. */
import type { Json } from '@bullpen/contracts';
import {
  answeredCalls,
  callKey,
  isSame,
  LOOP_REFUSED,
  wasRefused,
  type AnsweredCall,
  type KnownTools,
  type Messages,
} from './answered-calls.js';

/** How often a call, or a cycle of calls, may be seen before the next round is refused. */
const REPEATS = 3;
const LONGEST_CYCLE = 6;
/** The same for a cycle that changes files each time: it may be getting somewhere. */
const CHANGING_REPEATS = 8;
/** The same with other looks in between, when nothing has been changed: somewhat more is honest. */
const LOOSE_REPEATS = 6;
/** So many calls in a row that have all been made before, with the same results, lead nowhere. */
const STALE_CALLS = 12;

/**
 * Why a call would only repeat what was seen, as a text for the model; null when it may run. A repetition counts only while the
 * results are the same as well, and nothing was changed in between: polling something that changes is not a loop, and neither is a test
 * that runs again after an edit.
 */
export function loopProblem(messages: Messages, tools: KnownTools, tool: string, args: Json): string | null {
  if (tools.get(tool)?.polls === true) return null;
  const seen = answeredCalls(messages, tools);
  const next = callKey(tools, tool, args);
  for (let period = 1; period <= LONGEST_CYCLE; period += 1) {
    const rounds = roundsOf(seen, next, period, tools);
    if (rounds === null) continue;
    const what = period === 1 ? 'this call' : `the same ${period} calls in turn`;
    return refusal(`You have already made ${what} ${rounds - 1} times, with the same results.`);
  }
  if (unchangedRepeats(seen, next, tools) >= LOOSE_REPEATS - 1)
    return refusal(
      `You have already made this call ${LOOSE_REPEATS - 1} times, with the same results, and changed nothing in between.`,
    );
  if (leadsNowhere(seen, next, tools))
    return refusal(`Your last ${STALE_CALLS} calls have shown you nothing that you had not seen before.`);
  return null;
}

function refusal(why: string): string {
  return `${LOOP_REFUSED} ${why} Use what you know, or try something else. To wait for something, make one call that waits for it.`;
}

/** The number of rounds that the next call would complete, of a cycle of this length; null when there is no such cycle. */
function roundsOf(
  seen: readonly AnsweredCall[],
  next: string,
  period: number,
  tools: KnownTools,
): number | null {
  const cycle = seen.slice(-period);
  if (cycle.length < period || cycle[0]?.key !== next) return null;
  if (cycle.some(({ tool }) => tools.get(tool)?.polls === true)) return null;
  const rounds = period > 1 && cycle.some((call) => changesFiles(call, tools)) ? CHANGING_REPEATS : REPEATS;
  const tail = seen.slice(1 - rounds * period);
  if (tail.length < rounds * period - 1) return null;
  const repeats = tail.slice(period).every((item, at) => {
    const before = tail[at];
    return before !== undefined && isSame(item, before);
  });
  return repeats ? rounds : null;
}

/** How often the call was made, with the result that it had last, since something else may have changed something. */
function unchangedRepeats(seen: readonly AnsweredCall[], next: string, tools: KnownTools): number {
  const since = seen.slice(seen.findLastIndex((call) => call.key !== next && mayChange(call, tools)) + 1);
  const own = since.filter(({ key }) => key === next);
  const last = own.at(-1);
  return last === undefined ? 0 : own.filter((call) => isSame(call, last)).length;
}

function changesFiles({ tool, isError }: AnsweredCall, tools: KnownTools): boolean {
  return !isError && tools.get(tool)?.group === 'write';
}

/** Whether the call may have made a difference for others. Of an unknown tool nobody knows. */
function mayChange({ tool, isError }: AnsweredCall, tools: KnownTools): boolean {
  const group = tools.get(tool)?.group;
  return !isError && group !== 'read' && group !== 'todo' && group !== 'question';
}

/** True when neither the next call nor any of the newest is a new one: the agent goes about in what it knows, in whatever order. */
function leadsNowhere(seen: readonly AnsweredCall[], next: string, tools: KnownTools): boolean {
  const newest = seen.slice(-STALE_CALLS);
  const earlier = seen.slice(0, -STALE_CALLS);
  if (newest.length < STALE_CALLS || !seen.some(({ key }) => key === next)) return false;
  return newest.every(
    (call, at) =>
      tools.get(call.tool)?.polls !== true &&
      !changesFiles(call, tools) &&
      (wasRefused(call) || [...earlier, ...newest.slice(0, at)].some((before) => isSame(call, before))),
  );
}

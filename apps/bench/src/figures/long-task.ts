/**
 * A task of hundreds of turns in a window that holds a few dozen of them, beside the same task in a window that holds it all. A worker dies in the middle of
 * a summary.
 */
import type { Lab } from '../lab/lab.js';
import { playLongTask, type LongTaskEnd } from '../lab/long-task.js';
import { measure, type Measure, type Measured } from '../report/measure.js';

const figure = 'long-task';
const LARGE_WINDOW = 1_000_000;

/** The cost of a long task in a small window and in a large one, and whether nothing was forgotten, paid twice or done twice. */
export async function measureLongTask(lab: Lab): Promise<Measure[]> {
  const [turns, window] = lab.quick ? [120, 6_000] : [400, 20_000];
  lab.say(
    `long-task: ${turns} turns in a window of ${window} tokens, with a kill in the middle of a summary`,
  );
  const small = completed(await playLongTask(lab, { turns, window, killAtSummary: 2 }));
  lab.say('long-task: the same in a large window');
  const large = completed(await playLongTask(lab, { turns, window: LARGE_WINDOW, killAtSummary: null }));
  const line = (what: string, value: number, unit: string, more: Partial<Measured> = {}) =>
    measure({
      figure,
      what: `${what}, ${turns} turns in a window of ${window} tokens`,
      value,
      unit,
      ...more,
    });
  const none = { of: 'value', exactly: 0 } as const;
  return [
    line('cost', small.costUsd, 'USD', {
      peer: { name: `in a window of ${LARGE_WINDOW}`, value: large.costUsd },
      note: 'The agent is told facts in its first turns. The task fails unless they are in its last request.',
    }),
    line('summaries', small.condensed, 'summaries', { goal: { of: 'value', atLeast: 2 } }),
    line('times that old outputs were masked', small.masked, 'times'),
    line('largest prompt', small.largestPrompt, 'tokens', { goal: { of: 'value', atMost: window } }),
    line('prompts refused as too long', small.refusedAsTooLong, 'requests', { goal: none }),
    line('summaries that were paid and not used', small.summariesAsked - small.condensed, 'summaries', {
      goal: { of: 'value', exactly: 1 },
      note: 'One was asked for by the worker that was killed, which cannot know what came of it. No other one is paid twice.',
    }),
    line('files read twice', small.readTwice, 'files', { goal: none }),
  ];
}

function completed(end: LongTaskEnd): LongTaskEnd {
  if (end.state === 'completed') return end;
  throw new Error(`the task is ${end.state}: ${end.failure ?? 'no reason'}`);
}

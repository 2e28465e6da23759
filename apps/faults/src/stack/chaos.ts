/** Harm by chance, for as long as something lasts. */
import { isTerminal } from '@bullpen/contracts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DrillContext } from '../drill.js';
import { tasksOf } from './books.js';
import type { Stack } from './stack.js';

/** Does `harm` after pauses between `minMs` and `maxMs` until `work` is done; gives what work gave. */
async function during<T>(
  context: DrillContext,
  work: Promise<T>,
  [minMs, maxMs]: readonly [number, number],
  harm: () => Promise<unknown> | void,
): Promise<T> {
  let over = false;
  const end = work.finally(() => (over = true));
  end.catch(() => undefined); // Awaited below.
  for (;;) {
    const pause = minMs + context.random() * (maxMs - minMs);
    await Promise.race([end.catch(() => undefined), sleep(pause, undefined, { signal: context.signal })]);
    if (over) return end;
    await harm();
  }
}

/** Resolves when this share of the present tasks has ended; of tasks that are spawned meanwhile, too. */
export async function ended(stack: Stack, share = 1, until?: AbortSignal): Promise<void> {
  while (until?.aborted !== true) {
    const tasks = await tasksOf(stack.database.pool).catch(() => null); // Postgres may be the victim.
    const done = tasks?.filter(({ state }) => isTerminal(state)).length ?? 0;
    if (tasks !== null && tasks.length > 0 && done >= tasks.length * share) return;
    await sleep(200, undefined, { signal: stack.signal });
  }
}

/** Does harm for at most `seconds`, or until everything has ended, or what is named instead. */
export async function storm(
  stack: Stack,
  context: DrillContext,
  seconds: number,
  pauses: readonly [number, number],
  harm: () => Promise<unknown> | void,
  until?: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  // Not AbortSignal.any: on Node 20 it forgets sources that nobody else holds.
  context.signal.addEventListener('abort', stop, { once: true });
  const time = sleep(seconds * 1_000, undefined, { signal: over.signal });
  try {
    await during(context, Promise.race([until ?? ended(stack, 1, over.signal), time]), pauses, harm);
  } finally {
    context.signal.removeEventListener('abort', stop);
    stop();
    await time.catch(() => undefined); // Only stops the clock.
  }
}

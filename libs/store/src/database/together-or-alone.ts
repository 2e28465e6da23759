import { wasRefused } from './pool.js';

/**
 * Does the work of many at once. What the server refuses it has not done at all: each is tried alone then, so that one bad item loses only
 * its own part. Any other error leaves the outcome unknown, and is that of each of them.
 */
export async function togetherOrAlone<Item, Result>(
  batch: readonly Item[],
  work: (batch: readonly Item[]) => Promise<readonly Result[]>,
): Promise<PromiseSettledResult<Result>[]> {
  try {
    return (await work(batch)).map((value) => ({ status: 'fulfilled', value }));
  } catch (reason) {
    if (batch.length === 1 || !wasRefused(reason)) return batch.map(() => ({ status: 'rejected', reason }));
    const alone: PromiseSettledResult<Result>[] = [];
    for (const item of batch) alone.push(...(await togetherOrAlone([item], work)));
    return alone;
  }
}

/** Statements that many share who ask at the same moment, and in which one bad item loses only its own part. */
import { Gather, type GatherOptions } from './gather.js';
import { wasRefused } from './pool.js';

export class SharedWork<Item, Result> {
  private readonly gather: Gather<Item, PromiseSettledResult<Result>>;

  constructor(options: GatherOptions<Item, Result>) {
    const work = (batch: readonly Item[]) => togetherOrAlone(batch, options.work);
    this.gather = new Gather({ ...options, work });
  }

  async ask(item: Item): Promise<Result> {
    const done = await this.gather.ask(item);
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  }
}

/** What the server refuses it has not done at all: each is tried alone then. Any other error leaves the outcome unknown, and is that of each. */
async function togetherOrAlone<Item, Result>(
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

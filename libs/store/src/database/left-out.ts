/** Batches that only store: what the statement for many leaves out is asked for again alone, so that each refusal comes from one place and says exactly why. */
import { wasRefused } from './pool.js';

/** How long an item that goes alone keeps others from going, in ms: it may be waiting for a row that somebody holds. */
const PATIENCE_MS = 50;

/** What became of an item. Left out: nothing of it was stored, and the batch does not know why. One that goes alone may be on its way still. */
export type Fate<Row> = { readonly row: Row | Promise<Row> } | 'left out';

/** The fate of the only item of a batch: a statement for many takes longer for one. */
export async function fateOfOne<Row>(row: Promise<Row>): Promise<Fate<Row>[]> {
  await settledOr(PATIENCE_MS, row);
  return [{ row }];
}

/**
 * The fates of items whose rows one statement gives in any order. A row is one item's, the first one's that asks for it. For the value of one the server undoes
 * all of it, and then all are left out.
 *
 * @throws what `rows` rejects with, when nobody knows what was stored
 */
export async function fatesOfMany<Item, Row>(
  batch: readonly Item[],
  rows: Promise<readonly Row[]>,
  isOf: { readonly item: (item: Item) => unknown; readonly row: (row: Row) => unknown },
): Promise<Fate<Row>[]> {
  try {
    const stored = new Map((await rows).map((row) => [isOf.row(row), row]));
    return batch.map((item) => {
      const of = isOf.item(item);
      const row = stored.get(of);
      stored.delete(of);
      return row ? { row } : 'left out';
    });
  } catch (error) {
    if (!wasRefused(error)) throw error;
    return batch.map(() => 'left out');
  }
}

/** Resolves when the work has ended, well or not, or the time is over. */
function settledOr(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    work.then(done, done);
  });
}

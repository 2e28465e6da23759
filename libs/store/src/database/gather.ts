/** Work that is asked for at the same moment, done together: one statement and one commit instead of many. */

export interface GatherOptions<Item, Result> {
  /** Does the work of a batch; gives one result for each item, in their order. Where it throws, each item fails with that error. */
  readonly work: (batch: readonly Item[]) => Promise<readonly Result[]>;
  /** Batches that are under way at the same time, at most. */
  readonly lanes: number;
  /** Items of a batch, at most. */
  readonly most: number;
  /** Items with the same key may share a batch, but are never in two lanes at the same time. @defaultValue every item is on its own */
  readonly keyOf?: (item: Item) => string;
  /** Items of different kinds never share a batch. @defaultValue all are of one */
  readonly kindOf?: (item: Item) => string;
}

/** How statements are shared everywhere: while one batch waits for its commit, the next one is put together. */
export const SHARED = { lanes: 2, most: 64 } as const;

/** Characters of an item's rows. Longer ones go alone: small items wait for no large one, and no statement grows without bounds. */
export const SHARED_CHARS = 100_000;

interface Asked<Item, Result> {
  readonly item: Item;
  readonly key: string | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * No timer: what was asked for in the same turn of the event loop goes together, and what is asked for while all lanes are busy is the
 * next batch. So a single item on a quiet process waits for nothing, and batches grow only as far as the database is the slower side.
 */
export class Gather<Item, Result> {
  private asked: Asked<Item, Result>[] = [];
  private readonly busy = new Map<symbol, ReadonlySet<string>>();
  private due = false;

  constructor(private readonly options: GatherOptions<Item, Result>) {}

  /** The result of an item, once its batch is done. Rejects with what `work` threw. */
  ask(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.asked.push({ item, key: this.options.keyOf?.(item), resolve, reject });
      if (this.due) return;
      this.due = true;
      setImmediate(() => {
        this.due = false;
        this.fill();
      });
    });
  }

  /** Gives each free lane a batch, as long as there is something that may go. */
  private fill(): void {
    while (this.busy.size < this.options.lanes) {
      const batch = this.next();
      if (batch.length === 0) return;
      void this.run(batch);
    }
  }

  private next(): Asked<Item, Result>[] {
    const taken = [...this.busy.values()];
    const batch: Asked<Item, Result>[] = [];
    const later: Asked<Item, Result>[] = [];
    for (const asked of this.asked) {
      const { key } = asked;
      const isFree = key === undefined || !taken.some((keys) => keys.has(key));
      const mayGo = isFree && this.fits(batch[0]?.item ?? asked.item, asked.item);
      (mayGo && batch.length < this.options.most ? batch : later).push(asked);
    }
    this.asked = later;
    return batch;
  }

  private fits(first: Item, item: Item): boolean {
    const { kindOf } = this.options;
    return kindOf === undefined || kindOf(first) === kindOf(item);
  }

  private async run(batch: readonly Asked<Item, Result>[]): Promise<void> {
    const lane = Symbol('lane');
    this.busy.set(lane, new Set(batch.flatMap(({ key }) => key ?? [])));
    try {
      const results = await this.options.work(batch.map(({ item }) => item));
      if (results.length !== batch.length)
        throw new Error(`A batch of ${batch.length} gave ${results.length} results`);
      // The length was checked, and a result may itself be undefined.
      batch.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.busy.delete(lane);
      this.fill();
    }
  }
}

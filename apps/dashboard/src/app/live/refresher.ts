/**
 * Reads anew what has changed. Changes are gathered for a moment, and while something is being read nothing breaks that off: a fleet of tasks
 * makes events faster than a long list can be read, and a reading that always begins anew never ends.
 */
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';

interface Reading {
  timer: ReturnType<typeof setTimeout> | null;
  /** What changed while it was read needs another reading. */
  again: boolean;
}

export class Refresher {
  readonly #readings = new Map<string, Reading>();
  #isOver = false;

  constructor(private readonly queries: Pick<QueryClient, 'invalidateQueries' | 'isFetching'>) {}

  /** What these keys begin with is read anew, `withinMs` after the first change at the latest, unless a reading is under way by then. */
  stale(queryKey: QueryKey, withinMs: number): void {
    const name = JSON.stringify(queryKey);
    const reading = this.#readings.get(name);
    if (reading === undefined) this.#schedule(name, queryKey, withinMs);
    else if (reading.timer === null) reading.again = true;
  }

  /** What was gathered is let go. */
  stop(): void {
    this.#isOver = true;
    for (const { timer } of this.#readings.values()) if (timer !== null) clearTimeout(timer);
    this.#readings.clear();
  }

  #schedule(name: string, queryKey: QueryKey, withinMs: number): void {
    this.#isOver = false;
    const reading: Reading = { timer: null, again: false };
    reading.timer = setTimeout(() => void this.#read(name, queryKey, withinMs, reading), withinMs);
    this.#readings.set(name, reading);
  }

  async #read(name: string, queryKey: QueryKey, withinMs: number, reading: Reading): Promise<void> {
    if (this.queries.isFetching({ queryKey, predicate: isNextPage }) > 0)
      return this.#schedule(name, queryKey, withinMs);
    reading.timer = null;
    // How a reading failed is told where it is shown.
    await this.queries.invalidateQueries({ queryKey }).catch(() => undefined);
    if (this.#isOver) return;
    this.#readings.delete(name);
    if (reading.again) this.#schedule(name, queryKey, withinMs);
  }
}

/** Whoever scrolls through a list while much happens would never get to its end. */
const isNextPage = ({ state }: Query): boolean => Boolean(state.fetchMeta?.fetchMore);

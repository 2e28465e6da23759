/** Doubles for what a test must control: ids and time. */
import type { IdPrefix } from '@bullpen/contracts';

/** A maker of valid ids that are the same in each run: `task_00000000000000000000000001`, then 2, per prefix. */
export function fixedIds(): (prefix: IdPrefix) => string {
  const counts = new Map<IdPrefix, number>();
  return (prefix) => {
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    return `${prefix}_${String(count).padStart(26, '0')}`;
  };
}

export interface FakeClock {
  /** A copy of the present time; usable unbound, as `deps.now`. */
  readonly now: () => Date;
  advance(ms: number): void;
}

/** A clock that moves only when told to. @defaultValue starts at 2026-01-01T00:00:00Z */
export function fakeClock(start: Date = new Date('2026-01-01T00:00:00.000Z')): FakeClock {
  let time = start.getTime();
  return { now: () => new Date(time), advance: (ms) => (time += ms) };
}

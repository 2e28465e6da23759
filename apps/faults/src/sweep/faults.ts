/** What goes wrong in a world, and when. */
import type { Random } from './random.js';
import type { Point, Verdict } from './scheduler.js';

export type Delivery = 'once' | 'twice' | 'never' | 'late';

export interface FaultSource {
  /** Asked once for each caller that stands at a port. */
  decide(point: Point): Verdict;
  /** What the queue makes of one announcement. */
  deliver(): Delivery;
}

/** A few faults at random places: enough to meet each other, few enough that the world comes to an end. */
export function randomFaults(random: Random): FaultSource {
  let left = random.weighted([
    [1, 0],
    [2, 1],
    [3, 3],
    [3, 6],
  ]);
  const density = random.pick([0.02, 0.05, 0.1]);
  const careless = random.chance(0.4);
  return {
    decide: ({ kind }) => {
      if (left === 0 || !random.chance(density)) return 'go';
      left -= 1;
      return random.weighted<Verdict>([
        [4, 'die'],
        [kind === 'statement' ? 0 : 3, 'stall'],
        [kind === 'effect' ? 0 : 3, 'cut'],
      ]);
    },
    deliver: () =>
      careless
        ? random.weighted<Delivery>([
            [6, 'once'],
            [2, 'twice'],
            [2, 'never'],
            [1, 'late'],
          ])
        : 'once',
  };
}

/** One fault, at one place; the places are counted in the order in which they are reached. */
export function faultAt(place: number, verdict: Verdict): FaultSource & { readonly places: () => number } {
  let count = 0;
  return {
    decide: () => {
      count += 1;
      return count === place ? verdict : 'go';
    },
    deliver: () => 'once',
    places: () => count,
  };
}

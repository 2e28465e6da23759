/** Numbers from a seed: the same seed gives the same numbers on every machine. */

/** A stream of pseudo-random numbers (mulberry32: 32 bits of state, good enough to choose interleavings with). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number in [from, to], both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    const item = list[Math.floor(this.next() * list.length)];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  }

  /** One of several, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of choices) {
      at -= weight;
      if (at < 0) return item;
    }
    return this.pick(choices)[1];
  }

  /** A stream of its own: what is drawn from it changes nothing that is drawn elsewhere. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }
}

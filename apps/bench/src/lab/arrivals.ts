/** The time from a submit to the start of what was submitted. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Between two starts, so that each one finds everything at rest. */
const REST_MS = 30;

/** From a deed to what it brings about, as the work itself reports it. */
export class Arrivals {
  private resolve: (at: number) => void = () => undefined;

  readonly arrived = (): void => this.resolve(performance.now());

  /** Does the deed so many times, one after the other, each at rest. Gives the ms from just before each to its arrival. */
  async after(deed: () => Promise<unknown>, count: number): Promise<number[]> {
    const samples: number[] = [];
    for (let n = 0; n < count; n += 1) {
      await sleep(REST_MS);
      const seen = new Promise<number>((resolve) => (this.resolve = resolve));
      const start = performance.now();
      await deed();
      samples.push((await seen) - start);
    }
    return samples;
  }
}

import { createHash } from 'node:crypto';

/**
 * A reproducible source of numbers in [0, 1): the same seed gives the same sequence (mulberry32). The simulator never uses
 * `Math.random`, so that a run can be repeated exactly.
 */
export function seededRandom(seed: string): () => number {
  let state = createHash('sha256').update(seed).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How fast a simulated answer comes: like a real model, but brisk, and the same each time for the same request. */
import { seededRandom } from '../seeded-random.js';

export interface Pace {
  /** Milliseconds until the first byte: 250 to 500, and what the script adds. */
  firstByteMs: number;
  /** Milliseconds for each output token: 80 to 150 tokens a second, faster for very long answers. */
  msPerToken: number;
}

/** No answer takes longer than this to stream, however long it is: waiting for a simulator teaches nothing. */
const MAX_STREAM_MS = 12_000;

/** The pace for a request with this digest and an answer of `outputTokens`. */
export function paceOf(requestDigest: string, outputTokens: number, delayMs = 0): Pace {
  const random = seededRandom(requestDigest);
  const firstByteMs = 250 + random() * 250 + delayMs;
  const msPerToken = 1000 / (80 + random() * 70);
  return { firstByteMs, msPerToken: Math.min(msPerToken, MAX_STREAM_MS / Math.max(1, outputTokens)) };
}

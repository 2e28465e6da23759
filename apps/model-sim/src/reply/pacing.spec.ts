import { describe, expect, it } from '@jest/globals';
import { sha256 } from '../canonical-json.js';
import { paceOf } from './pacing.js';

const DIGESTS = Array.from({ length: 200 }, (_none, index) => sha256(String(index)));

describe('paceOf', () => {
  it('is the same for the same request and differs between requests', () => {
    expect(paceOf('a', 100)).toEqual(paceOf('a', 100));
    expect(new Set(DIGESTS.map((digest) => paceOf(digest, 100).firstByteMs)).size).toBe(DIGESTS.length);
  });

  it('starts after 250 to 500 ms and gives 80 to 150 tokens a second', () => {
    for (const { firstByteMs, msPerToken } of DIGESTS.map((digest) => paceOf(digest, 100))) {
      expect(firstByteMs).toBeGreaterThanOrEqual(250);
      expect(firstByteMs).toBeLessThan(500);
      expect(1000 / msPerToken).toBeGreaterThanOrEqual(80);
      expect(1000 / msPerToken).toBeLessThan(150);
    }
  });

  it('adds the delay of the script and never streams longer than twelve seconds', () => {
    expect(paceOf('a', 100, 1_000).firstByteMs).toBe(paceOf('a', 100).firstByteMs + 1_000);
    expect(paceOf('a', 50_000).msPerToken * 50_000).toBeCloseTo(12_000);
  });
});

/** What a request from a profile costs. */
import type { TokenUsage } from '@bullpen/contracts';
import { describe, expect, it } from '@jest/globals';
import { builtInProfile } from './model-facts.js';
import { costOf, priceFor, promptTokensOf } from './prices.js';

const profile = {
  ...builtInProfile('mine'),
  price: {
    ...{ input: 1, output: 4, cacheRead: 0.1, cacheWrite: 1.25 },
    above: [{ promptTokens: 200_000, input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5, cacheWrite1h: 4 }],
  },
};

function cost(usage: Partial<TokenUsage>): bigint {
  const all = {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    ...usage,
  };
  const price = priceFor(profile, new Date(0), promptTokensOf(all), null, () => null);
  if (price === null) throw new Error('not priced');
  return costOf(all, price);
}

describe('the prices of a profile', () => {
  it('are of the tier that the whole prompt falls in, cache included, for every part', () => {
    // cx-53: 205,100 tokens in all, though only 100 are fresh.
    const usage = {
      inputTokens: 100,
      cacheReadTokens: 190_000,
      cacheWrite5mTokens: 15_000,
      outputTokens: 10,
    };
    expect(cost(usage)).toBe(100n * 2_000n + 190_000n * 200n + 15_000n * 2_500n + 10n * 8_000n);
  });

  it('are chosen for each request alone: two of 150,000 tokens stay in the low tier', () => {
    expect(cost({ inputTokens: 150_000 }) * 2n).toBe(2n * 150_000n * 1_000n);
    expect([cost({ inputTokens: 200_000 }), cost({ inputTokens: 200_001 })]).toEqual([
      200_000_000n,
      400_002_000n,
    ]);
  });

  it('that are left out are that of the input, and an hour in the cache costs what writing costs', () => {
    const plain = { ...profile, price: { input: 3, output: 5, above: [] } };
    expect(priceFor(plain, new Date(0), 1, null, () => null)).toEqual({
      ...{ inputNanoUsd: 3_000n, outputNanoUsd: 5_000n, cacheReadNanoUsd: 3_000n },
      ...{ cacheWrite5mNanoUsd: 3_000n, cacheWrite1hNanoUsd: 3_000n },
    });
  });

  it('stand above the built-in one, which a profile without prices has', () => {
    const builtIn = priceFor({ ...profile, price: null }, new Date(0), 1, null, () => ({
      ...{
        inputNanoUsd: 7n,
        outputNanoUsd: 7n,
        cacheReadNanoUsd: 7n,
        cacheWrite5mNanoUsd: 7n,
        cacheWrite1hNanoUsd: 7n,
      },
    }));
    expect(builtIn?.inputNanoUsd).toBe(7n);
  });
});

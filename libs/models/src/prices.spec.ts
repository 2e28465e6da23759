import { NO_TOKENS } from '@bullpen/contracts';
import { costOf, modelFacts } from '@bullpen/core';
import { describe, expect, it } from '@jest/globals';
import { PRICED_MODELS, priceOf } from './prices.js';

const NOW = new Date('2026-11-01T12:00:00Z');
const usage = {
  inputTokens: 1_001,
  outputTokens: 203,
  cacheReadTokens: 40_007,
  cacheWrite5mTokens: 3_003,
  cacheWrite1hTokens: 11,
};

function costAt(model: string, at: Date, promptTokens = 1): bigint | null {
  const price = priceOf(model, at, promptTokens, null);
  return price && costOf(usage, price);
}

describe('priceOf', () => {
  it('gives prices that sum exactly, to the nano-dollar', () => {
    // 1,001 x 2,000 + 203 x 10,000 + 40,007 x 100 + 3,003 x 2,500 + 11 x 4,000
    expect(costAt('claude-sonnet-5-5', NOW)).toBe(15_584_200n);
    // 1,001 x 4,000 + 203 x 20,000 + 40,007 x 200 + 3,003 x 5,000 + 11 x 8,000
    expect(costAt('claude-opus-5-5', NOW)).toBe(31_168_400n);
    // 1,001 x 100 + 203 x 500 + 40,007 x 10 + 3,003 x 125 + 11 x 200
    expect(costAt('claude-haiku-5-5', NOW)).toBe(979_245n);
  });

  it.each([
    ['claude-fable-5-1', 10_000n, 50_000n, 250n],
    ['claude-mythos-5-1', 10_000n, 50_000n, 250n],
    ['claude-fable-5', 10_000n, 50_000n, 1_000n],
    ['claude-opus-5-5', 4_000n, 20_000n, 200n],
    ['claude-opus-5', 5_000n, 25_000n, 500n],
    ['claude-opus-4-5-20251101', 5_000n, 25_000n, 500n],
    ['claude-opus-4-1-20250805', 15_000n, 75_000n, 1_500n],
    ['claude-opus-4-20250514', 15_000n, 75_000n, 1_500n],
    ['claude-sonnet-5', 2_000n, 10_000n, 200n],
    ['claude-sonnet-5-5-20261007', 2_000n, 10_000n, 100n],
    ['claude-sonnet-4-6', 3_000n, 15_000n, 300n],
    ['claude-haiku-4-5-20251001', 1_000n, 5_000n, 100n],
  ])('knows %s', (model, inputNanoUsd, outputNanoUsd, cacheReadNanoUsd) => {
    expect(priceOf(model, NOW, 1, null)).toEqual({
      inputNanoUsd,
      outputNanoUsd,
      cacheReadNanoUsd,
      cacheWrite5mNanoUsd: (inputNanoUsd * 5n) / 4n,
      cacheWrite1hNanoUsd: inputNanoUsd * 2n,
    });
  });

  it('takes the price of the day on which the tokens were used', () => {
    const readAt = (time: string) => priceOf('claude-sonnet-5-5', new Date(time), 1, null)?.cacheReadNanoUsd;
    expect(readAt('2026-10-06T23:59:59.999Z')).toBe(200n);
    expect(readAt('2026-10-07T00:00:00Z')).toBe(100n);
  });

  it('takes the dearer tier when the prompt is over its border, not at it', () => {
    expect(priceOf('claude-haiku-5-5', NOW, 100_000, null)?.inputNanoUsd).toBe(100n);
    expect(priceOf('claude-haiku-5-5', NOW, 100_001, null)).toEqual({
      inputNanoUsd: 500n,
      outputNanoUsd: 2_500n,
      cacheReadNanoUsd: 50n,
      cacheWrite5mNanoUsd: 625n,
      cacheWrite1hNanoUsd: 1_000n,
    });
  });

  it.each(['gpt-5', 'claude-fable-5-2', 'claude-sonnet-5-5-preview', 'claude-opus-4-2', '', 'constructor'])(
    'does not guess a price for %s',
    (model) => {
      expect(priceOf(model, NOW, 1, null)).toBeNull();
      expect(modelFacts(model)).toBeNull();
    },
  );

  it('has no price for a time before its first row', () => {
    expect(priceOf('claude-opus-5', new Date('2024-12-31T23:59:59Z'), 1, null)).toBeNull();
  });

  it('loses nothing to rounding: every cache write price is an exact integer', () => {
    for (const model of PRICED_MODELS) {
      for (const promptTokens of [1, 500_000]) {
        const price = priceOf(model, NOW, promptTokens, null);
        expect((price?.inputNanoUsd ?? 1n) % 4n).toBe(0n);
      }
    }
  });
});

describe('the terms of an answer', () => {
  const million = { ...NO_TOKENS, inputTokens: 1_000_000, outputTokens: 100_000 };
  const on = (inferenceGeo: string | null, serviceTier: string | null) => {
    const price = priceOf('claude-sonnet-5-5', NOW, 1_000_000, { inferenceGeo, serviceTier });
    return price && { cost: costOf(million, price), assumed: price.assumed === true };
  };

  it.each([
    [null, null, 3_000_000_000n],
    ['global', 'standard', 3_000_000_000n],
    ['not_available', 'standard', 3_000_000_000n],
    ['us', 'standard', 3_300_000_000n],
    ['us', null, 3_300_000_000n],
    ['global', 'batch', 1_500_000_000n],
    ['us', 'batch', 1_650_000_000n],
  ])('are part of the price: made in %s, tier %s', (geo, tier, cost) => {
    expect(on(geo, tier)).toEqual({ cost, assumed: false });
  });

  it.each([
    ['eu', 'standard', 3_000_000_000n],
    ['global', 'priority', 3_000_000_000n],
    ['us', 'flex', 3_300_000_000n],
    ['constructor', 'standard', 3_000_000_000n],
  ])('take the standard price, marked as assumed, where none is known: %s, %s', (geo, tier, cost) => {
    expect(on(geo, tier)).toEqual({ cost, assumed: true });
  });

  it('are the dearest ones while the answer is still to come', () => {
    for (const model of PRICED_MODELS) {
      const reserved = priceOf(model, NOW, 1, 'dearest');
      for (const inferenceGeo of ['us', 'global', 'mars', null])
        for (const serviceTier of ['standard', 'batch', 'priority', null]) {
          const price = priceOf(model, NOW, 1, { inferenceGeo, serviceTier });
          expect(reserved && price && costOf(usage, reserved) >= costOf(usage, price)).toBe(true);
        }
    }
  });

  it('round a sum up to a whole nano-dollar, once', () => {
    const price = priceOf('claude-haiku-5-5', NOW, 1, { inferenceGeo: 'us', serviceTier: null });
    // 3 x 125 x 1.1 = 412.5
    expect(price && costOf({ ...NO_TOKENS, cacheWrite5mTokens: 3 }, price)).toBe(413n);
  });
});

it('every model with a price has limits', () => {
  expect(PRICED_MODELS.filter((model) => modelFacts(model) === null)).toEqual([]);
});

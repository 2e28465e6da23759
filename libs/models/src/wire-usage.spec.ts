import { describe, expect, it } from '@jest/globals';
import { mergedUsage } from './wire-usage.js';

const none = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};

describe('mergedUsage', () => {
  it('replaces earlier figures by later ones and adds nothing', () => {
    const first = mergedUsage(none, { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 500 });
    expect(mergedUsage(first, { input_tokens: 12, output_tokens: 90, cache_read_input_tokens: 480 })).toEqual(
      {
        ...none,
        inputTokens: 12,
        outputTokens: 90,
        cacheReadTokens: 480,
      },
    );
  });

  it('keeps figures that a later report leaves out, or repeats as null or zero', () => {
    const first = mergedUsage(none, {
      input_tokens: 10,
      cache_read_input_tokens: 500,
      cache_creation_input_tokens: 70,
    });
    const later = {
      input_tokens: null,
      output_tokens: 5,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
    };
    expect(mergedUsage(first, later)).toEqual({
      inputTokens: 10,
      outputTokens: 5,
      cacheReadTokens: 500,
      cacheWrite5mTokens: 70,
      cacheWrite1hTokens: 0,
    });
  });

  it('counts cache writes once when both the sum and the split are given', () => {
    const split = { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 };
    const usage = mergedUsage(none, { cache_creation_input_tokens: 100, cache_creation: split });
    expect(usage).toMatchObject({ cacheWrite5mTokens: 60, cacheWrite1hTokens: 40 });
    expect(mergedUsage(usage, { cache_creation_input_tokens: 100, output_tokens: 3 })).toMatchObject({
      cacheWrite5mTokens: 60,
      cacheWrite1hTokens: 40,
    });
  });

  it('counts cache writes also when only the split is given', () => {
    const split = { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 40 };
    expect(mergedUsage(none, { cache_creation_input_tokens: 0, cache_creation: split })).toMatchObject({
      cacheWrite5mTokens: 0,
      cacheWrite1hTokens: 40,
    });
    const five = { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 };
    expect(
      mergedUsage(none, { cache_creation_input_tokens: null, cache_creation: five }).cacheWrite5mTokens,
    ).toBe(30);
  });
});

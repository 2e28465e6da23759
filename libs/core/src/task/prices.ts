/** Prices of models, and what a usage costs. */
import type { ModelProfile, ProfilePrice, TokenUsage } from '@bullpen/contracts';

/** The terms on which an answer was made, as far as the provider says; they change its price. */
export interface ServiceTerms {
  /** Where it was made, such as `us`. */
  readonly inferenceGeo: string | null;
  /** Such as `standard`, `batch`, `priority`. */
  readonly serviceTier: string | null;
}

/** Prices of one model at one time, in nano-dollars a token. */
export interface ModelPrice {
  readonly inputNanoUsd: bigint;
  readonly outputNanoUsd: bigint;
  readonly cacheReadNanoUsd: bigint;
  readonly cacheWrite5mNanoUsd: bigint;
  readonly cacheWrite1hNanoUsd: bigint;
  /** The percentage of the sum that the terms make it. @defaultValue 100 */
  readonly percent?: bigint;
  /** Set when there is no known price for the terms: the standard price is used then. */
  readonly assumed?: true;
}

/**
 * Price of a model for a prompt of `promptTokens` at a time; null when it is not known (shown as "not priced", never as zero).
 * `dearest` stands for the terms of an answer that is still to come: an account may have any of them as its default. Simulated models are priced like the model whose name they carry, so that budgets can be tried; the usage is marked.
 */
export type PriceOf = (
  model: string,
  at: Date,
  promptTokens: number,
  terms: ServiceTerms | 'dearest' | null,
) => ModelPrice | null;

/** The price of a request from a profile: its own one, or else that of its model. */
export function priceFor(
  profile: ModelProfile,
  at: Date,
  promptTokens: number,
  terms: ServiceTerms | 'dearest' | null,
  priceOf: PriceOf,
): ModelPrice | null {
  return profile.price === null
    ? priceOf(profile.model, at, promptTokens, terms)
    : ownPrice(profile.price, promptTokens);
}

/** The tier is chosen by the whole prompt, and every part is priced in it. */
function ownPrice(price: ProfilePrice, promptTokens: number): ModelPrice {
  const tiers = [...price.above].sort((a, b) => b.promptTokens - a.promptTokens);
  const tier = tiers.find((one) => promptTokens > one.promptTokens) ?? price;
  const { input, output, cacheRead = input, cacheWrite = input, cacheWrite1h = cacheWrite } = tier;
  return {
    inputNanoUsd: perToken(input),
    outputNanoUsd: perToken(output),
    cacheReadNanoUsd: perToken(cacheRead),
    cacheWrite5mNanoUsd: perToken(cacheWrite),
    cacheWrite1hNanoUsd: perToken(cacheWrite1h),
  };
}

/** A dollar for a million tokens is a thousand nano-dollars a token. */
function perToken(usdPerMillion: number): bigint {
  return BigInt(Math.round(usdPerMillion * 1_000));
}

/** Exact cost of a usage at a price. */
export function costOf(usage: TokenUsage, price: ModelPrice): bigint {
  return onTerms(
    BigInt(usage.inputTokens) * price.inputNanoUsd +
      BigInt(usage.outputTokens) * price.outputNanoUsd +
      BigInt(usage.cacheReadTokens) * price.cacheReadNanoUsd +
      BigInt(usage.cacheWrite5mTokens) * price.cacheWrite5mNanoUsd +
      BigInt(usage.cacheWrite1hTokens) * price.cacheWrite1hNanoUsd,
    price,
  );
}

/** A sum on the terms of its price. What is less than a nano-dollar counts as one. */
export function onTerms(nanoUsd: bigint, { percent = 100n }: ModelPrice): bigint {
  return (nanoUsd * percent + 99n) / 100n;
}

/** Tokens of the whole prompt that a usage speaks of. */
export function promptTokensOf(usage: TokenUsage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
}

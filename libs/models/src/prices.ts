/**
 * What the models cost, as published. Prices are integers in nano-dollars a token: $1 per million
 * tokens is 1,000. Source: Anthropic's pricing page, October 2026.
 * The standard price holds for answers made anywhere; terms change it by a percentage (data residency and service tiers, same source).
 * A new price is a new row with its first day; an old row is never changed, as it prices what was used then.
 */
import type { ModelPrice, PriceOf, ServiceTerms } from '@bullpen/core';

/** A price that holds from a day on (UTC), for prompts up to a size. Later rows of the same model win. */
interface PriceRow {
  readonly from: string;
  readonly maxPromptTokens: number;
  readonly price: ModelPrice;
}

interface PricedModel {
  /** Ids without a date; `claude-sonnet-5-5` also stands for `claude-sonnet-5-5-20261007`. */
  readonly ids: readonly string[];
  readonly prices: readonly PriceRow[];
}

const DATE_OF_FIRST_PRICES = '2025-01-01';
const ANY_PROMPT = Number.MAX_SAFE_INTEGER;

/** Cache writes cost 1.25 (5 minutes) and 2 (1 hour) times the input price; all inputs here divide by four. */
function price(inputNanoUsd: bigint, outputNanoUsd: bigint, cacheReadNanoUsd: bigint): ModelPrice {
  return {
    inputNanoUsd,
    outputNanoUsd,
    cacheReadNanoUsd,
    cacheWrite5mNanoUsd: (inputNanoUsd * 5n) / 4n,
    cacheWrite1hNanoUsd: inputNanoUsd * 2n,
  };
}

function always(only: ModelPrice): readonly PriceRow[] {
  return [{ from: DATE_OF_FIRST_PRICES, maxPromptTokens: ANY_PROMPT, price: only }];
}

const MODELS: readonly PricedModel[] = [
  {
    ids: ['claude-fable-5-1', 'claude-mythos-5-1'],
    prices: always(price(10_000n, 50_000n, 250n)),
  },
  {
    ids: ['claude-fable-5', 'claude-mythos-5'],
    prices: always(price(10_000n, 50_000n, 1_000n)),
  },
  {
    ids: ['claude-opus-5-5'],
    prices: always(price(4_000n, 20_000n, 200n)),
  },
  {
    ids: ['claude-opus-4-5', 'claude-opus-4-6', 'claude-opus-4-7', 'claude-opus-4-8', 'claude-opus-5'],
    prices: always(price(5_000n, 25_000n, 500n)),
  },
  {
    ids: ['claude-opus-4', 'claude-opus-4-0', 'claude-opus-4-1'],
    prices: always(price(15_000n, 75_000n, 1_500n)),
  },
  {
    ids: ['claude-sonnet-5-5'],
    prices: [
      { from: DATE_OF_FIRST_PRICES, maxPromptTokens: ANY_PROMPT, price: price(2_000n, 10_000n, 200n) },
      { from: '2026-10-07', maxPromptTokens: ANY_PROMPT, price: price(2_000n, 10_000n, 100n) },
    ],
  },
  {
    ids: ['claude-sonnet-5'],
    prices: always(price(2_000n, 10_000n, 200n)),
  },
  {
    ids: ['claude-sonnet-4', 'claude-sonnet-4-0', 'claude-sonnet-4-5', 'claude-sonnet-4-6'],
    prices: always(price(3_000n, 15_000n, 300n)),
  },
  {
    ids: ['claude-haiku-5-5'],
    prices: [
      { from: DATE_OF_FIRST_PRICES, maxPromptTokens: 100_000, price: price(100n, 500n, 10n) },
      { from: DATE_OF_FIRST_PRICES, maxPromptTokens: ANY_PROMPT, price: price(500n, 2_500n, 50n) },
    ],
  },
  {
    ids: ['claude-haiku-4-5'],
    prices: always(price(1_000n, 5_000n, 100n)),
  },
];

const FACTS = new Map(MODELS.flatMap((facts) => facts.ids.map((id) => [id, facts] as const)));

/** Every id that has a price, without dates; for documentation and checks. */
export const PRICED_MODELS: readonly string[] = [...FACTS.keys()];

/** Percent of the standard price by where an answer was made. Models that cannot be bound to a place say `not_available`. */
const GEO_PERCENT: ReadonlyMap<string, bigint> = new Map([
  ['global', 100n],
  ['not_available', 100n],
  ['us', 110n],
]);

/** Percent of the standard price by tier. `priority` is paid by contract: it is not listed here, and its price counts as assumed. */
const TIER_PERCENT: ReadonlyMap<string, bigint> = new Map([
  ['standard', 100n],
  ['batch', 50n],
]);

/**
 * The price of a model at a time, for a prompt of `promptTokens` (uncached input, cache reads and cache writes together:
 * tiers count all of them). Null when the model or its price at that time is not known.
 */
export const priceOf: PriceOf = (model, at, promptTokens, terms) => {
  const price = standardPriceOf(model, at, promptTokens);
  return price && { ...price, ...changeFor(terms) };
};

/** How terms change the price. Terms without a known price keep the standard one, and say so. */
function changeFor(terms: ServiceTerms | 'dearest' | null): Pick<ModelPrice, 'percent' | 'assumed'> {
  if (terms === 'dearest') return { percent: DEAREST_PERCENT };
  const geo = percentIn(GEO_PERCENT, terms?.inferenceGeo);
  const tier = percentIn(TIER_PERCENT, terms?.serviceTier);
  const percent = ((geo ?? 100n) * (tier ?? 100n)) / 100n;
  return {
    ...(percent === 100n ? {} : { percent }),
    ...(geo === undefined || tier === undefined ? { assumed: true } : {}),
  };
}

const DEAREST_PERCENT = [...GEO_PERCENT.values()].reduce((most, percent) =>
  percent > most ? percent : most,
);

/** 100 if nothing is said, undefined if it is unknown. */
function percentIn(table: ReadonlyMap<string, bigint>, term: string | null | undefined): bigint | undefined {
  return term === null || term === undefined ? 100n : table.get(term);
}

function standardPriceOf(model: string, at: Date, promptTokens: number): ModelPrice | null {
  const day = at.toISOString().slice(0, 10);
  const rows = factsOf(model)?.prices.filter((row) => row.from <= day) ?? [];
  const newest = rows.reduce((latest, row) => (row.from > latest ? row.from : latest), '');
  return rows.find((row) => row.from === newest && promptTokens <= row.maxPromptTokens)?.price ?? null;
}

/** Whether a model has a price at all, under its id with a date or without. */
export function hasPrice(model: string): boolean {
  return factsOf(model) !== undefined;
}

/** Only a date or `latest` may follow a known id: `claude-fable-5-2` is a separate model, not a version of `claude-fable-5`. */
function factsOf(model: string): PricedModel | undefined {
  return FACTS.get(model.replace(/-(\d{8}|latest)$/, ''));
}

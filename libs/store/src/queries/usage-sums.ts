/** Exact sums over usage records: one SQL fragment and its view, shared by every query that shows usage. */
import { nanoUsdOf, usdOf, type UsageTotals } from '@bullpen/contracts';
import { Prisma } from '../generated/client.js';

/** The columns that `usageTotalsOf` reads, over `usage_records`. `sum(bigint)` is numeric in Postgres: cast back, exact. */
export const USAGE_SUMS = Prisma.sql`
  count(*)::bigint                                        as "modelCalls",
  coalesce(sum(input_tokens), 0)::bigint                  as "inputTokens",
  coalesce(sum(output_tokens), 0)::bigint                 as "outputTokens",
  coalesce(sum(cache_read_tokens), 0)::bigint             as "cacheReadTokens",
  coalesce(sum(cache_write_5m_tokens), 0)::bigint         as "cacheWrite5mTokens",
  coalesce(sum(cache_write_1h_tokens), 0)::bigint         as "cacheWrite1hTokens",
  coalesce(sum(cost_nano_usd), 0)::bigint                 as "costNanoUsd",
  (count(*) filter (where cost_nano_usd is null))::bigint as "unpricedCalls",
  (count(*) filter (where estimated))::bigint             as "estimatedCalls",
  coalesce(bool_or(simulated), false)                     as "simulated"`;

const PARTS = {
  ...{ calls: 'modelCalls', input_tokens: 'inputTokens', output_tokens: 'outputTokens' },
  ...{ cache_read_tokens: 'cacheReadTokens', cache_write_5m_tokens: 'cacheWrite5mTokens' },
  ...{ cache_write_1h_tokens: 'cacheWrite1hTokens', cost_nano_usd: 'costNanoUsd' },
  ...{ unpriced_calls: 'unpricedCalls', estimated_calls: 'estimatedCalls' },
} as const;
const summedUp = (nameOf: (part: keyof typeof PARTS) => string): Prisma.Sql =>
  Prisma.raw(
    (Object.keys(PARTS) as (keyof typeof PARTS)[])
      .map((part) => `sum(${part})::bigint as "${nameOf(part)}"`)
      .concat('bool_or(simulated) as "simulated"')
      .join(', '),
  );

/** The columns of what is summed up already, in part. */
export const PART_COLUMNS = Prisma.raw([...Object.keys(PARTS), 'simulated'].join(', '));

/** The columns of `USAGE_SUMS` over such parts. */
export const SUMMED_UP = summedUp((part) => PARTS[part]);

/** Such parts over smaller ones. */
export const SUMMED_IN_PART = summedUp((part) => part);

/** One row of `USAGE_SUMS`. */
export interface UsageSums {
  modelCalls: bigint;
  inputTokens: bigint;
  outputTokens: bigint;
  cacheReadTokens: bigint;
  cacheWrite5mTokens: bigint;
  cacheWrite1hTokens: bigint;
  costNanoUsd: bigint;
  unpricedCalls: bigint;
  estimatedCalls: bigint;
  simulated: boolean;
}

export const NO_USAGE: UsageSums = {
  modelCalls: 0n,
  inputTokens: 0n,
  outputTokens: 0n,
  cacheReadTokens: 0n,
  cacheWrite5mTokens: 0n,
  cacheWrite1hTokens: 0n,
  costNanoUsd: 0n,
  unpricedCalls: 0n,
  estimatedCalls: 0n,
  simulated: false,
};

/** The sum of sums; exact, as everything is an integer until it is shown. */
export function addSums(rows: readonly UsageSums[]): UsageSums {
  return rows.reduce(
    (total, row) => ({
      modelCalls: total.modelCalls + row.modelCalls,
      inputTokens: total.inputTokens + row.inputTokens,
      outputTokens: total.outputTokens + row.outputTokens,
      cacheReadTokens: total.cacheReadTokens + row.cacheReadTokens,
      cacheWrite5mTokens: total.cacheWrite5mTokens + row.cacheWrite5mTokens,
      cacheWrite1hTokens: total.cacheWrite1hTokens + row.cacheWrite1hTokens,
      costNanoUsd: total.costNanoUsd + row.costNanoUsd,
      unpricedCalls: total.unpricedCalls + row.unpricedCalls,
      estimatedCalls: total.estimatedCalls + row.estimatedCalls,
      simulated: total.simulated || row.simulated,
    }),
    NO_USAGE,
  );
}

/** Sums as the API shows them. */
export function usageTotalsOf(sums: UsageSums): UsageTotals {
  return {
    inputTokens: Number(sums.inputTokens),
    outputTokens: Number(sums.outputTokens),
    cacheReadTokens: Number(sums.cacheReadTokens),
    cacheWrite5mTokens: Number(sums.cacheWrite5mTokens),
    cacheWrite1hTokens: Number(sums.cacheWrite1hTokens),
    modelCalls: Number(sums.modelCalls),
    costUsd: usdOf(sums.costNanoUsd),
    unpricedCalls: Number(sums.unpricedCalls),
    estimatedCalls: Number(sums.estimatedCalls),
    simulated: sums.simulated,
  };
}

/** The sums that were shown like this. */
export function usageSumsOf(totals: UsageTotals): UsageSums {
  return {
    inputTokens: BigInt(totals.inputTokens),
    outputTokens: BigInt(totals.outputTokens),
    cacheReadTokens: BigInt(totals.cacheReadTokens),
    cacheWrite5mTokens: BigInt(totals.cacheWrite5mTokens),
    cacheWrite1hTokens: BigInt(totals.cacheWrite1hTokens),
    modelCalls: BigInt(totals.modelCalls),
    costNanoUsd: nanoUsdOf(totals.costUsd),
    unpricedCalls: BigInt(totals.unpricedCalls),
    estimatedCalls: BigInt(totals.estimatedCalls),
    simulated: totals.simulated,
  };
}

/** Tokens and money, as the provider reports them and as we account for them. */
import { z } from 'zod';

/** Token counts of one or many model calls. `input` is uncached input only; the whole prompt is input + cacheWrite* + cacheRead. */
export const TokenUsage = z
  .object({
    inputTokens: z.int().nonnegative(),
    outputTokens: z.int().nonnegative(),
    cacheReadTokens: z.int().nonnegative(),
    cacheWrite5mTokens: z.int().nonnegative(),
    cacheWrite1hTokens: z.int().nonnegative(),
  })
  .meta({ id: 'TokenUsage' });
export type TokenUsage = z.infer<typeof TokenUsage>;

export const NO_TOKENS: TokenUsage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};

/** The sum of two usages. */
export function addTokens(a: TokenUsage, b: TokenUsage): TokenUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWrite5mTokens: a.cacheWrite5mTokens + b.cacheWrite5mTokens,
    cacheWrite1hTokens: a.cacheWrite1hTokens + b.cacheWrite1hTokens,
  };
}

/** Sums for one task, a tree, or a group; `costUsd` is exact, `unpricedCalls` counts calls of models without a known price. */
export const UsageTotals = TokenUsage.extend({
  modelCalls: z.int().nonnegative(),
  costUsd: z.string(),
  unpricedCalls: z.int().nonnegative(),
  estimatedCalls: z.int().nonnegative(),
  simulated: z.boolean(),
}).meta({ id: 'UsageTotals' });
export type UsageTotals = z.infer<typeof UsageTotals>;

export const TaskUsageView = z
  .object({
    taskId: z.string(),
    own: UsageTotals,
    tree: UsageTotals,
    byModel: z.array(UsageTotals.extend({ model: z.string() })),
    budget: z.object({ limitUsd: z.string().nullable(), spentUsd: z.string(), reservedUsd: z.string() }),
    toolCalls: z.array(z.object({ tool: z.string(), calls: z.int(), errors: z.int(), durationMs: z.int() })),
  })
  .meta({ id: 'TaskUsage' });
export type TaskUsageView = z.infer<typeof TaskUsageView>;

export const UsageGroupBy = z.enum(['day', 'model', 'agent']);
export type UsageGroupBy = z.infer<typeof UsageGroupBy>;
export const UsageReport = z
  .object({
    groupBy: UsageGroupBy,
    data: z.array(UsageTotals.extend({ key: z.string() })),
    total: UsageTotals,
  })
  .meta({ id: 'UsageReport' });
export type UsageReport = z.infer<typeof UsageReport>;

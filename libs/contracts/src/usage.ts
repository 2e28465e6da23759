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

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

/** `tag`: a tree with several tags counts for each of them, one without for the key `""`; so does what was pruned. */
export const UsageGroupBy = z.enum(['day', 'model', 'agent', 'tenant', 'tag']);
export type UsageGroupBy = z.infer<typeof UsageGroupBy>;

/** Trees that ended in one way, and what they used. */
const UsageOutcome = z
  .object({
    state: z.enum(['completed', 'failed', 'cancelled']),
    trees: z.int(),
    costUsd: z.string(),
    unpricedCalls: z.int(),
  })
  .meta({ id: 'UsageOutcome' });

export const UsageReport = z
  .object({
    groupBy: UsageGroupBy,
    splitBy: UsageGroupBy.nullable(),
    data: z
      .array(
        UsageTotals.extend({
          key: z.string(),
          part: z.string().nullable().describe('The second key; null without `splitBy`.'),
        }),
      )
      .describe('A group of which no call is priced has a cost of nothing: `unpricedCalls` tells.'),
    total: UsageTotals,
    outcomes: z
      .array(UsageOutcome)
      .describe('The same by what became of the trees; those that have not ended are absent.'),
    dearest: z
      .array(
        z.object({
          taskId: z.string(),
          title: z.string(),
          tasks: z.int(),
          costUsd: z.string(),
          unpricedCalls: z.int(),
        }),
      )
      .describe('The ten trees that cost most in this time.'),
  })
  .meta({ id: 'UsageReport' });
export type UsageReport = z.infer<typeof UsageReport>;

/** Token counts from the provider's usage reports, which may be wrong. */
import { addTokens, NO_TOKENS, type TokenUsage } from '@bullpen/contracts';
import type { ServiceTerms } from '@bullpen/core';
import { asCount, asFields, type Fields } from './wire-values.js';

/** Usage as reported so far. One belongs to one stream. */
export class ReportedUsage {
  /** Of earlier messages of the same stream: both have probably been billed. */
  private before: TokenUsage = NO_TOKENS;
  private current: TokenUsage = NO_TOKENS;
  private exact = true;
  private said: ServiceTerms | null = null;

  get total(): TokenUsage {
    return addTokens(this.before, this.current);
  }

  /** True when a figure had to be rounded or was none. */
  get isDoubtful(): boolean {
    return !this.exact;
  }

  /** Null: nothing was said of them. */
  get terms(): ServiceTerms | null {
    return this.said;
  }

  report(usage: unknown): void {
    this.said = mergedTerms(this.said, asFields(usage));
    this.current = mergedUsage(this.current, usage);
    this.exact &&= isExact(usage);
  }

  /** What comes now is of another message. */
  nextMessage(): void {
    this.before = this.total;
    this.current = NO_TOKENS;
  }
}

/** The terms of an answer come with its first report; later ones may repeat them. */
function mergedTerms(before: ServiceTerms | null, reported: Fields): ServiceTerms | null {
  const inferenceGeo = termOf(reported['inference_geo']) ?? before?.inferenceGeo ?? null;
  const serviceTier = termOf(reported['service_tier']) ?? before?.serviceTier ?? null;
  return inferenceGeo === null && serviceTier === null ? null : { inferenceGeo, serviceTier };
}

function termOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * Usage after a further report. Reports are cumulative: a later figure replaces the earlier one and is never added. A figure that
 * is missing, zero or not a count means nothing: counts do not fall, and some endpoints repeat only the output.
 */
export function mergedUsage(before: TokenUsage, usage: unknown): TokenUsage {
  const reported = asFields(usage);
  return {
    inputTokens: countOf(reported, 'input_tokens') || before.inputTokens,
    outputTokens: countOf(reported, 'output_tokens') || before.outputTokens,
    cacheReadTokens: countOf(reported, 'cache_read_input_tokens') || before.cacheReadTokens,
    ...mergedCacheWrites(before, reported),
  };
}

/** The split by lifetime counts where it is given, even without the sum; a sum alone is what is known of 1 h, the rest 5 min. */
function mergedCacheWrites(
  before: TokenUsage,
  reported: Fields,
): Pick<TokenUsage, 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  const split = asFields(reported['cache_creation']);
  const cacheWrite1hTokens = countOf(split, 'ephemeral_1h_input_tokens') || before.cacheWrite1hTokens;
  const fromSplit = countOf(split, 'ephemeral_5m_input_tokens');
  const fromSum = Math.max(0, countOf(reported, 'cache_creation_input_tokens') - cacheWrite1hTokens);
  return { cacheWrite5mTokens: fromSplit || fromSum || before.cacheWrite5mTokens, cacheWrite1hTokens };
}

function countOf(fields: Fields, name: string): number {
  return asCount(fields[name]).count ?? 0;
}

const COUNTS = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
] as const;
const SPLIT = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens'] as const;

/** Whether every figure of a report is a count. A report that is missing is none, and says nothing wrong. */
function isExact(usage: unknown): boolean {
  if (usage === undefined || usage === null) return true;
  if (typeof usage !== 'object' || Array.isArray(usage)) return false;
  const reported = asFields(usage);
  const split = asFields(reported['cache_creation']);
  return (
    COUNTS.every((name) => asCount(reported[name]).exact) && SPLIT.every((name) => asCount(split[name]).exact)
  );
}

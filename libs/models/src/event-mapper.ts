/** The provider's stream events as the core's chunks. One mapper belongs to one answer. */
import type Anthropic from '@anthropic-ai/sdk';
import { NO_TOKENS, type TokenUsage } from '@bullpen/contracts';
import type { ModelChunk, ServiceTerms } from '@bullpen/core';

type ProviderEvent = Anthropic.RawMessageStreamEvent;

/** The figures that we read from a usage report. `message_start` and `message_delta` each carry some of them, or null. */
export interface ProviderUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number | null;
    readonly ephemeral_1h_input_tokens?: number | null;
  } | null;
  readonly inference_geo?: string | null;
  readonly service_tier?: string | null;
}

/** Maps events in the order in which they come. Events, blocks and deltas of kinds that we do not ask for give no chunks. */
export class EventMapper {
  private readonly kinds = new Map<number, 'content' | 'tool' | 'ignored'>();
  private usage: TokenUsage = NO_TOKENS;
  private terms: ServiceTerms | undefined;
  private stopped = false;

  /** True once the reason for the end is known: the answer is complete, whatever happens to the connection. */
  get isComplete(): boolean {
    return this.stopped;
  }

  /** Chunks of one event; often one, at times none. */
  map(event: ProviderEvent): readonly ModelChunk[] {
    switch (event.type) {
      case 'message_start':
        return this.mergeUsage(event.message.usage);
      case 'content_block_start':
        return this.startBlock(event.index, event.content_block);
      case 'content_block_delta':
        return this.continueBlock(event.index, event.delta);
      case 'content_block_stop':
        return this.endBlock(event.index);
      case 'message_delta':
        return [...this.mergeUsage(event.usage), ...this.stop(event.delta.stop_reason)];
      default:
        return [];
    }
  }

  private startBlock(
    index: number,
    block: Anthropic.RawContentBlockStartEvent['content_block'],
  ): ModelChunk[] {
    this.kinds.set(index, kindOf(block.type));
    switch (block.type) {
      case 'text':
        return block.text ? [{ type: 'text', index, text: block.text }] : [];
      case 'thinking':
        // A block whose text is withheld may hold nothing but its signature, which comes as a delta.
        return block.thinking ? [{ type: 'reasoning', index, text: block.thinking }] : [];
      case 'redacted_thinking':
        return [{ type: 'reasoning', index, text: '', redacted: block.data }];
      case 'tool_use':
        return [{ type: 'tool_call_start', index, id: block.id, name: block.name }];
      default:
        return [];
    }
  }

  private continueBlock(index: number, delta: Anthropic.RawContentBlockDelta): ModelChunk[] {
    if (this.kinds.get(index) === 'ignored') return [];
    switch (delta.type) {
      case 'text_delta':
        return [{ type: 'text', index, text: delta.text }];
      case 'thinking_delta':
        return [{ type: 'reasoning', index, text: delta.thinking }];
      case 'signature_delta':
        return [{ type: 'reasoning', index, text: '', signature: delta.signature }];
      case 'input_json_delta':
        return [{ type: 'tool_call_delta', index, json: delta.partial_json }];
      default:
        return [];
    }
  }

  private endBlock(index: number): ModelChunk[] {
    const kind = this.kinds.get(index);
    if (kind === 'ignored') return [];
    return [{ type: kind === 'tool' ? 'tool_call_end' : 'block_end', index }];
  }

  private stop(stopReason: string | null): ModelChunk[] {
    if (stopReason === null || this.stopped) return [];
    this.stopped = true;
    return [{ type: 'stop', stopReason }];
  }

  private mergeUsage(reported: ProviderUsage | undefined): ModelChunk[] {
    if (!reported) return [];
    this.usage = mergedUsage(this.usage, reported);
    this.terms = mergedTerms(this.terms, reported);
    return [{ type: 'usage', usage: this.usage, ...(this.terms ? { terms: this.terms } : {}) }];
  }
}

/** The terms of an answer come with its first report; later ones may repeat them. */
function mergedTerms(before: ServiceTerms | undefined, reported: ProviderUsage): ServiceTerms | undefined {
  const inferenceGeo = termOf(reported.inference_geo) ?? before?.inferenceGeo ?? null;
  const serviceTier = termOf(reported.service_tier) ?? before?.serviceTier ?? null;
  return inferenceGeo === null && serviceTier === null ? undefined : { inferenceGeo, serviceTier };
}

function termOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function kindOf(type: string): 'content' | 'tool' | 'ignored' {
  if (type === 'tool_use') return 'tool';
  return type === 'text' || type === 'thinking' || type === 'redacted_thinking' ? 'content' : 'ignored';
}

/**
 * Usage after a further report. Reports are cumulative: a later figure replaces the earlier one and is never added. A figure
 * that is missing or zero says nothing: counts do not fall, and some endpoints repeat only the output.
 */
export function mergedUsage(before: TokenUsage, reported: ProviderUsage): TokenUsage {
  return {
    inputTokens: reported.input_tokens || before.inputTokens,
    outputTokens: reported.output_tokens || before.outputTokens,
    cacheReadTokens: reported.cache_read_input_tokens || before.cacheReadTokens,
    ...mergedCacheWrites(before, reported),
  };
}

/** The split by lifetime counts where it is given, even without the sum; a sum alone is what is known of 1 h, the rest 5 min. */
function mergedCacheWrites(
  before: TokenUsage,
  reported: ProviderUsage,
): Pick<TokenUsage, 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  const split = reported.cache_creation;
  const cacheWrite1hTokens = split?.ephemeral_1h_input_tokens || before.cacheWrite1hTokens;
  const fromSplit = split?.ephemeral_5m_input_tokens || 0;
  const fromSum = Math.max(0, (reported.cache_creation_input_tokens || 0) - cacheWrite1hTokens);
  return { cacheWrite5mTokens: fromSplit || fromSum || before.cacheWrite5mTokens, cacheWrite1hTokens };
}

/**
 * Port: a model that streams. Adapters turn a provider's stream into the one chunk type below; everything downstream sees
 * only that.
 */
import type { ContentBlock, JsonSchema, MessageRole, TokenUsage } from '@bullpen/contracts';

/** A tool as the model is told about it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface RequestMessage {
  readonly role: MessageRole;
  readonly content: readonly ContentBlock[];
}

/** What the model may do with tools this time; `none` keeps the definitions in the request, so that the cached prefix survives. */
export type ToolChoice =
  { readonly type: 'auto' | 'none' } | { readonly type: 'tool'; readonly name: string };

/** One request. Equal values must give byte-equal provider requests: the provider's prompt cache depends on it. */
export interface ModelRequest {
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  readonly messages: readonly RequestMessage[];
}

/**
 * `index` names the content block; blocks may interleave. `usage` is cumulative: the last one counts, and `doubtful` says that a
 * figure of it had to be rounded or left out. `restart`: what came so far is void, another message takes its place. A call whose
 * arguments came complete with its start has them as `input`; pieces that follow replace them.
 */
export type ModelChunk =
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | {
      readonly type: 'reasoning';
      readonly index: number;
      readonly text: string;
      readonly signature?: string;
      readonly redacted?: string;
    }
  | { readonly type: 'block_end'; readonly index: number }
  | {
      readonly type: 'tool_call_start';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly input?: string;
    }
  | { readonly type: 'tool_call_delta'; readonly index: number; readonly json: string }
  | { readonly type: 'tool_call_end'; readonly index: number }
  | {
      readonly type: 'usage';
      readonly usage: TokenUsage;
      readonly terms?: ServiceTerms;
      readonly doubtful?: boolean;
    }
  | { readonly type: 'restart' }
  | { readonly type: 'stop'; readonly stopReason: string }
  | { readonly type: 'response'; readonly providerRequestId: string | null; readonly simulated: boolean }
  | { readonly type: 'error'; readonly error: ModelError };

/** Classes of model errors; what each means for the task is decided in `retry.ts`. */
export type ModelErrorClass =
  | 'context' // prompt too long
  | 'rate_limit'
  | 'overload'
  | 'network' // resets, timeouts, 5xx, cut streams
  | 'authentication'
  | 'billing' // credit, spend caps
  | 'thinking' // thinking in the history that the provider does not take back
  | 'request' // any other 4xx: our mistake or a bad setting
  | 'aborted'; // our own signal

export interface ModelError {
  readonly class: ModelErrorClass;
  readonly message: string;
  readonly httpStatus: number | null;
  /** Milliseconds that the provider asked to wait, when it did. */
  readonly retryAfterMs: number | null;
  readonly providerRequestId: string | null;
}

export interface Model {
  /**
   * Streams one answer. Contract for implementers: it never throws and never retries; a failure is one `error` chunk, always the
   * last. A stream that ends without `stop` and without `error` is a cut stream. Honours the signal at once (`aborted`).
   *
   * `maySend` is asked at the last possible moment, right before sending: making a connection takes long enough to lose a lease.
   * When it says no, nothing is sent and the stream is one `aborted` error.
   */
  stream(request: ModelRequest, signal: AbortSignal, maySend: () => boolean): AsyncIterable<ModelChunk>;
}

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

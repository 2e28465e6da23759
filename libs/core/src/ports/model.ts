/**
 * Port: a model that streams. Adapters turn a provider's stream into the one chunk type below; everything downstream sees
 * only that.
 */
import type { Json, JsonSchema, ModelProfile, TokenUsage } from '@bullpen/contracts';
import type { RequestMessage } from '../task/history.js';
import type { ServiceTerms } from '../task/prices.js';

/** A tool as the model is told about it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** What the model may do with tools this time; `none` keeps the definitions in the request, so that the cached prefix survives. */
export type ToolChoice =
  { readonly type: 'auto' | 'none' } | { readonly type: 'tool'; readonly name: string };

/**
 * One request: a profile, and what is said. All that concerns the model comes from that one profile, so that a request never mixes
 * two. Equal values must give byte-equal provider requests: the provider's prompt cache depends on it.
 */
export interface ModelRequest extends Readonly<ModelProfile> {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice: ToolChoice;
  readonly messages: readonly RequestMessage[];
  /** Base64 of the pictures and documents in the messages, by their digest; there by the time it is sent. */
  readonly media?: ReadonlyMap<string, string>;
  /** Tools that the model calls in its text, for models that have no calls of their own; not sent. @defaultValue calls are no text */
  readonly callsInText?: readonly ToolDefinition[];
}

/**
 * `index` names the content block; blocks may interleave. `usage` is cumulative: the last one counts, and `doubtful` says that a
 * figure of it had to be rounded or left out. `restart`: what came so far is void, another message takes its place. A call whose
 * arguments came complete with its start has them as `input`; pieces that follow replace them. The end of a call says what is wrong
 * with it (`problem`), and may come again when that is found out later.
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
  /** A block of the provider's own, as it came; may come again when more of it has come. */
  | {
      readonly type: 'provider_block';
      readonly index: number;
      readonly block: Readonly<Record<string, Json>>;
    }
  /** What else a block says of itself, such as its citations; goes back with it. */
  | { readonly type: 'fields'; readonly index: number; readonly fields: Readonly<Record<string, Json>> }
  | {
      readonly type: 'tool_call_start';
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly input?: string;
    }
  | { readonly type: 'tool_call_delta'; readonly index: number; readonly json: string }
  | { readonly type: 'tool_call_end'; readonly index: number; readonly problem?: string }
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

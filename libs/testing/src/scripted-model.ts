/** A model that says what the test wrote down for it, and knows what it was asked. */
import type { Json, TokenUsage } from '@bullpen/contracts';
import type {
  Model,
  ModelChunk,
  ModelError,
  ModelErrorClass,
  ModelRequest,
  ServiceTerms,
} from '@bullpen/core';

export interface ScriptedToolCall {
  /** @defaultValue `toolu_1`, `toolu_2`, … */
  readonly id?: string;
  readonly name: string;
  readonly input?: Json;
  /** The arguments as the model writes them, for broken ones. @defaultValue `input` as JSON */
  readonly rawArguments?: string;
}

/** One answer. Blocks come in the order reasoning, the provider's own, text, tool calls. */
export interface ScriptedAnswer {
  readonly reasoning?: string;
  /** Blocks of tools that the provider runs, and of kinds that nobody knows. */
  readonly blocks?: readonly Readonly<Record<string, Json>>[];
  readonly text?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** @defaultValue `tool_use` with tool calls, else `end_turn` */
  readonly stopReason?: string;
  /** @defaultValue 100 input and 20 output tokens */
  readonly usage?: Partial<TokenUsage>;
  /** On which terms it was made. @defaultValue the endpoint says nothing of them */
  readonly terms?: ServiceTerms;
  /** The stream holds until this resolves (or its signal aborts), before its first chunk. */
  readonly until?: Promise<unknown>;
  /** The stream ends quietly after so many chunks, as when a connection is cut. */
  readonly cutAfterChunks?: number;
  /** The stream ends with this error, after the chunks of the answer or of `cutAfterChunks`. */
  readonly error?: Partial<ModelError> & { readonly class: ModelErrorClass };
}

/** An answer, or how to make it from the request: for answers that name ids which only the run knows. */
export type ScriptedStep = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

const DEFAULT_USAGE: TokenUsage = {
  inputTokens: 100,
  outputTokens: 20,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
};

/** Gives its answers in order, one a request, to whoever asks. */
export class ScriptedModel implements Model {
  /** Every request so far, oldest first. */
  readonly requests: ModelRequest[] = [];
  private readonly steps: ScriptedStep[];
  private unexpected = 0;
  private toolCalls = 0;

  constructor(...steps: readonly ScriptedStep[]) {
    this.steps = [...steps];
  }

  /** Adds answers at the end. */
  push(...steps: readonly ScriptedStep[]): void {
    this.steps.push(...steps);
  }

  /** Fails when an answer was not asked for, or a request had no answer. */
  assertDone(): void {
    if (this.unexpected > 0)
      throw new Error(`The model was asked ${this.unexpected} time(s) more than scripted`);
    if (this.steps.length > 0) throw new Error(`${this.steps.length} scripted answer(s) were not asked for`);
  }

  /** Unlike a real model it throws when it has no answer: that is a failure of the test. */
  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    maySend: () => boolean,
  ): AsyncGenerator<ModelChunk> {
    if (!maySend()) return yield { type: 'error', error: modelError({ class: 'aborted' }) };
    this.requests.push(request);
    const step = this.steps.shift();
    if (step === undefined) {
      this.unexpected += 1;
      throw new Error(`Unexpected model call ${this.requests.length}: no answer is left in the script`);
    }
    const answer = typeof step === 'function' ? step(request) : step;
    if (answer.until !== undefined) await Promise.race([answer.until, aborted(signal)]);
    yield* this.play(answer, signal);
  }

  private *play(answer: ScriptedAnswer, signal: AbortSignal): Generator<ModelChunk> {
    const all = this.chunksOf(answer);
    for (const chunk of all.slice(0, answer.cutAfterChunks)) {
      if (signal.aborted) break;
      yield chunk;
    }
    if (signal.aborted) yield { type: 'error', error: modelError({ class: 'aborted' }) };
    else if (answer.error !== undefined) yield { type: 'error', error: modelError(answer.error) };
  }

  private chunksOf(answer: ScriptedAnswer): readonly ModelChunk[] {
    const usage = { ...DEFAULT_USAGE, ...answer.usage };
    const terms = answer.terms ? { terms: answer.terms } : {};
    const chunks: ModelChunk[] = [
      { type: 'response', providerRequestId: `req_scripted_${this.requests.length}`, simulated: false },
      { type: 'usage', usage: { ...usage, outputTokens: Math.min(1, usage.outputTokens) }, ...terms },
    ];
    let index = 0;
    if (answer.reasoning !== undefined) chunks.push(...reasoningChunks(index++, answer.reasoning));
    for (const block of answer.blocks ?? []) {
      chunks.push({ type: 'provider_block', index, block }, { type: 'block_end', index });
      index += 1;
    }
    if (answer.text !== undefined) chunks.push(...textChunks(index++, answer.text));
    for (const call of answer.toolCalls ?? []) {
      this.toolCalls += 1;
      chunks.push(...toolCallChunks(index++, call, `toolu_${this.toolCalls}`));
    }
    // An error in place of an end: what came before it is all there is.
    if (answer.error !== undefined) return chunks;
    const stopReason = answer.stopReason ?? ((answer.toolCalls?.length ?? 0) > 0 ? 'tool_use' : 'end_turn');
    return [...chunks, { type: 'usage', usage }, { type: 'stop', stopReason }];
  }
}

/** A complete error of a class. */
export function modelError(error: Partial<ModelError> & { readonly class: ModelErrorClass }): ModelError {
  return {
    message: `scripted ${error.class}`,
    httpStatus: null,
    retryAfterMs: null,
    providerRequestId: null,
    ...error,
  };
}

function reasoningChunks(index: number, text: string): readonly ModelChunk[] {
  return [
    ...halves(text).map((half): ModelChunk => ({ type: 'reasoning', index, text: half })),
    { type: 'reasoning', index, text: '', signature: `signature of ${text}` },
    { type: 'block_end', index },
  ];
}

function textChunks(index: number, text: string): readonly ModelChunk[] {
  return [
    ...halves(text).map((half): ModelChunk => ({ type: 'text', index, text: half })),
    { type: 'block_end', index },
  ];
}

function toolCallChunks(index: number, call: ScriptedToolCall, defaultId: string): readonly ModelChunk[] {
  const json = call.rawArguments ?? JSON.stringify(call.input ?? {});
  return [
    { type: 'tool_call_start', index, id: call.id ?? defaultId, name: call.name },
    ...halves(json).map((half): ModelChunk => ({ type: 'tool_call_delta', index, json: half })),
    { type: 'tool_call_end', index },
  ];
}

/** Two pieces, so that whoever puts them together is tested. Splits by code point. */
function halves(text: string): readonly string[] {
  const points = [...text];
  const middle = Math.ceil(points.length / 2);
  return [points.slice(0, middle).join(''), points.slice(middle).join('')].filter((half) => half !== '');
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * How full a task's window is. This is the only place that says so: the gauge, the warnings, what is done at the threshold and what is
 * cut then all ask here, so that they cannot disagree.
 *
 * The provider's own figure counts as far as it goes; only what was added since is estimated. An estimate for the whole is off by up to
 * a quarter, and would make a long task condense far too early or too late.
 */
import type { ContentBlock, ContextSize } from '@bullpen/contracts';
import type { ModelRequest, ToolDefinition } from '../ports/model.js';
import type { RequestMessage } from '../task/history.js';
import { estimateTokens } from './estimate.js';
import { mediaTokens } from './media.js';

/** Part of the budget at which the history is made smaller. */
const THRESHOLD = 0.9;

/** Role markers and separators around a message; name and id of a call or a result. */
const TOKENS_AROUND_MESSAGE = 4;
const TOKENS_AROUND_CALL = 12;

/** Base64 that only the provider can read, such as thinking that it has encrypted. */
const SEALED_CHARS_PER_TOKEN = 5;

/** What of a request is measured. A `ModelRequest` is one. */
export type Measured = Pick<ModelRequest, 'system' | 'tools' | 'messages' | 'maxOutputTokens'>;

/**
 * What the provider said about a beginning of this same conversation: the usage of its newest answer, or a count that was asked for.
 * A figure from before the newest summary, or of another model, is no anchor.
 */
export interface ContextAnchor {
  /** System prompt, tools and these messages. */
  readonly tokens: number;
  /** How many messages from the start it covers; for the usage of an answer, that answer is the last of them. */
  readonly messages: number;
}

/**
 * Measures a request, as it would be sent now, against a window. Without an anchor all of it is estimated; an anchor that covers more
 * messages than there are is of another history, and is not used.
 */
export function contextSize(
  { system, tools, messages, maxOutputTokens }: Measured,
  window: number,
  anchor: ContextAnchor | null,
): ContextSize {
  const parts = { system: estimateTokens(system), tools: sum(tools.map(toolTokens)) };
  const known = anchor !== null && anchor.messages <= messages.length ? anchor : null;
  const added = sum(messages.slice(known?.messages ?? 0).map(messageTokens));
  const budget = Math.max(1, window - maxOutputTokens);
  const room = { window, reservedOutput: maxOutputTokens, budget, threshold: Math.floor(budget * THRESHOLD) };
  return {
    ...parts,
    ...room,
    ...filled({ ...parts, budget }, added + (known?.tokens ?? parts.system + parts.tools)),
    isEstimate: known === null || known.messages < messages.length,
  };
}

/** The same with a figure of the provider for all of it. */
export function withFigure(size: ContextSize, tokens: number): ContextSize {
  return { ...size, ...filled(size, tokens), isEstimate: false };
}

/** System prompt and tools do not change; what is above them is the messages'. */
function filled({ system, tools, budget }: Pick<ContextSize, 'system' | 'tools' | 'budget'>, tokens: number) {
  return { messages: Math.max(0, tokens - system - tools), tokens, share: tokens / budget };
}

/** Whether the history has to be made smaller before this is sent. */
export function isOverThreshold({ tokens, threshold }: ContextSize): boolean {
  return tokens >= threshold;
}

/** Estimated tokens of one tool's definition. */
function toolTokens({ name, description, inputSchema }: ToolDefinition): number {
  return TOKENS_AROUND_CALL + estimateTokens(`${name} ${description} ${JSON.stringify(inputSchema)}`);
}

/** Messages do not change, and a long history is measured before each call. */
const measured = new WeakMap<RequestMessage, number>();

/** Estimated tokens of one message. */
export function messageTokens(message: RequestMessage): number {
  const before = measured.get(message);
  if (before !== undefined) return before;
  const tokens = TOKENS_AROUND_MESSAGE + contentTokens(message.content);
  measured.set(message, tokens);
  return tokens;
}

function contentTokens(content: readonly ContentBlock[]): number {
  return sum(content.map(blockTokens));
}

function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text);
    case 'thinking':
      return estimateTokens(block.thinking);
    case 'redacted_thinking':
      return Math.ceil(block.data.length / SEALED_CHARS_PER_TOKEN);
    case 'tool_use':
      return TOKENS_AROUND_CALL + estimateTokens(`${block.name} ${JSON.stringify(block.input)}`);
    case 'tool_result':
      return TOKENS_AROUND_CALL + estimateTokens(block.content) + sum((block.media ?? []).map(mediaTokens));
    case 'image':
    case 'document':
      return mediaTokens(block.media);
    case 'provider':
      return estimateTokens(JSON.stringify(block.block, withoutSealed));
  }
}

/** What the provider has encrypted is long as base64, and little for the model. */
function withoutSealed(key: string, value: unknown): unknown {
  return key.startsWith('encrypted_') || key === 'signature' ? undefined : value;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

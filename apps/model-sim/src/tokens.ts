import { canonicalJson } from './canonical-json.js';
import type { ContentBlock, MessagesRequest, ToolDefinition } from './wire.js';

/** Rough average of English prose and code; the real tokenizer is not public. Korean is under-counted by it. */
export const CHARACTERS_PER_TOKEN = 3.5;
/** An image costs about width x height / 750 tokens at the provider; this is a middling screenshot. */
const TOKENS_PER_IMAGE = 1_500;
/** Role markers and separators around a message. */
const TOKENS_PER_MESSAGE = 3;

/** Tokens of a text by the simulator's one rule: characters / 3.5, rounded up. Never negative; 0 for ''. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** Tokens of one content block, by the text that the model would see of it. */
export function estimateBlockTokens(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text);
    case 'thinking':
      return estimateTokens(block.thinking);
    case 'tool_use':
      return estimateTokens(block.name + canonicalJson(block.input));
    case 'tool_result':
      return typeof block.content === 'string'
        ? estimateTokens(block.content)
        : sum((block.content ?? []).map(estimateBlockTokens));
    case 'image':
      return TOKENS_PER_IMAGE;
    default:
      return estimateTokens(canonicalJson(block));
  }
}

/** Tokens of one tool definition. */
export function estimateToolTokens(tool: ToolDefinition): number {
  return estimateTokens(canonicalJson({ ...tool, cache_control: undefined }));
}

/** Tokens that a whole request puts in front of the model; what `count_tokens` answers. */
export function estimateInputTokens(request: Pick<MessagesRequest, 'messages' | 'system' | 'tools'>): number {
  const system =
    typeof request.system === 'string'
      ? estimateTokens(request.system)
      : sum((request.system ?? []).map(estimateBlockTokens));
  const tools = sum((request.tools ?? []).map(estimateToolTokens));
  const messages = request.messages.map(
    ({ content }) =>
      TOKENS_PER_MESSAGE +
      (typeof content === 'string' ? estimateTokens(content) : sum(content.map(estimateBlockTokens))),
  );
  return system + tools + sum(messages);
}

/** Zero for none. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

import { canonicalJson } from './canonical-json.js';
import type { ContentBlock, MessagesRequest, ToolDefinition } from './wire.js';

/** Rough average of English prose and code. Korean is under-counted by it; a simulator may be given a real tokenizer. */
export const CHARACTERS_PER_TOKEN = 3.5;
/** An image costs about width x height / 750 tokens at the provider; this is a middling screenshot. */
const TOKENS_PER_IMAGE = 1_500;
/** A page as text and as a picture; documents of scenarios have few. */
const TOKENS_PER_DOCUMENT = 3_000;
/** Role markers and separators around a message. */
const TOKENS_PER_MESSAGE = 3;

/** Tokens of a text by the simulator's own rule: characters / 3.5, rounded up. Never negative; 0 for ''. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

/** What requests take, by one rule for texts. */
export class TokenCount {
  constructor(private readonly ofText: (text: string) => number = estimateTokens) {}

  /** Tokens of one content block, by the text that the model would see of it. */
  block(block: ContentBlock): number {
    switch (block.type) {
      case 'text':
        return this.ofText(block.text);
      case 'thinking':
        return this.ofText(block.thinking);
      case 'tool_use':
        return this.ofText(block.name + canonicalJson(block.input));
      case 'tool_result':
        return this.blocks(block.content ?? []);
      case 'image':
        return TOKENS_PER_IMAGE;
      case 'document':
        return TOKENS_PER_DOCUMENT;
      default:
        return this.ofText(canonicalJson(block));
    }
  }

  /** Tokens of one tool definition. */
  tool(tool: ToolDefinition): number {
    return this.ofText(canonicalJson({ ...tool, cache_control: undefined }));
  }

  /** Tokens that a whole request puts in front of the model; what `count_tokens` answers. */
  request(request: Pick<MessagesRequest, 'messages' | 'system' | 'tools'>): number {
    const tools = sum((request.tools ?? []).map((tool) => this.tool(tool)));
    const messages = request.messages.map(({ content }) => TOKENS_PER_MESSAGE + this.blocks(content));
    return this.blocks(request.system ?? []) + tools + sum(messages);
  }

  private blocks(content: string | readonly ContentBlock[]): number {
    return typeof content === 'string'
      ? this.ofText(content)
      : sum(content.map((block) => this.block(block)));
  }
}

/** Zero for none. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * Our request as the provider's. Pure: equal requests (key order included) give equal bytes, which the provider's prompt
 * cache depends on. Content goes out as it was stored; only the cache marks are ours.
 */
import type Anthropic from '@anthropic-ai/sdk';
import type { ContentBlock, Media } from '@bullpen/contracts';
import type { ModelRequest, RequestMessage, ToolChoice, ToolDefinition } from '@bullpen/core';
import { thinkingSettings } from './thinking-settings.js';

export type ProviderRequest = Anthropic.MessageCreateParamsStreaming;

type Messages = Anthropic.Messages.MessageParam;
type CacheMark = Anthropic.CacheControlEphemeral;
type CacheTtl = ModelRequest['cacheTtl'];

/** A fresh object each time, so that nobody who gets a request can change those of others. */
const mark = (ttl: CacheTtl): CacheMark =>
  ttl === '5m' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl };

/**
 * Parameters of `POST /v1/messages`. At most four cache marks (the provider's limit): the last tool, the system block, the
 * newest message, and the message that was the newest one when the last answer was asked for. The last one makes sure that
 * this call reads what that call wrote: the provider looks back only 20 blocks from a mark, and a turn with many parallel
 * tool calls is longer. Sampling parameters are left out: current models refuse them.
 */
export function toProviderRequest(request: ModelRequest): ProviderRequest {
  const hasTools = request.tools.length > 0;
  const ttl = request.cacheTtl;
  return {
    model: request.model,
    max_tokens: request.maxOutputTokens,
    ...(request.system.trim() === ''
      ? {}
      : { system: [{ type: 'text', text: request.system, cache_control: mark(ttl) }] }),
    ...(hasTools
      ? { tools: toTools(request.tools, ttl), tool_choice: toToolChoice(request.toolChoice) }
      : {}),
    messages: toMessages(request, ttl),
    ...thinkingSettings(request),
    stream: true,
  };
}

function toTools(tools: readonly ToolDefinition[], ttl: CacheTtl): Anthropic.Tool[] {
  return tools.map((tool, index) => ({
    name: tool.name,
    description: tool.description,
    // Any JSON Schema of an object is one; the provider says so when it is not.
    input_schema: tool.inputSchema as unknown as Anthropic.Tool.InputSchema,
    ...(index === tools.length - 1 ? { cache_control: mark(ttl) } : {}),
  }));
}

function toToolChoice(choice: ToolChoice): Anthropic.ToolChoice {
  return choice.type === 'tool' ? { type: 'tool', name: choice.name } : { type: choice.type };
}

function toMessages({ messages, media }: ModelRequest, ttl: CacheTtl): Messages[] {
  // An answer that goes on is sent back unchanged: the mark is on what it answers.
  const newest = messages.findLastIndex(({ role }) => role === 'user');
  const marked = new Set([newest, endOfPreviousRequest(messages)]);
  return messages.map((message, index) => ({
    role: message.role,
    content: toContent(message.content, marked.has(index) ? ttl : null, media),
  }));
}

/** Index of the message that ended the request which the newest assistant message answers; -1 when there is none. */
function endOfPreviousRequest(messages: readonly RequestMessage[]): number {
  return messages.findLastIndex((message) => message.role === 'assistant') - 1;
}

function toContent(
  blocks: readonly ContentBlock[],
  ttl: CacheTtl | null,
  media: ModelRequest['media'],
): Anthropic.ContentBlockParam[] {
  const markedIndex = ttl === null ? -1 : blocks.findLastIndex(mayCarryMark);
  const content = blocks.map((block, index) => {
    const sent = toBlock(block, media);
    return index === markedIndex && ttl !== null ? { ...sent, cache_control: mark(ttl) } : sent;
  });
  // What the provider sent goes back as it came, including fields that we do not know.
  return content as unknown as Anthropic.ContentBlockParam[];
}

/** Rows refer to pictures and documents, and hold the provider's own blocks as they came; everything else is sent as it is stored. */
function toBlock(block: ContentBlock, media: ModelRequest['media']): object {
  switch (block.type) {
    case 'image':
    case 'document':
      return mediaBlock(block.media, media);
    case 'provider':
      return block.block;
    case 'tool_result': {
      const { media: shown = [], content, ...rest } = block;
      if (shown.length === 0) return { ...rest, content };
      return {
        ...rest,
        content: [{ type: 'text', text: content }, ...shown.map((one) => mediaBlock(one, media))],
      };
    }
    default:
      return block;
  }
}

function mediaBlock({ sha256, mediaType }: Media, media: ModelRequest['media']): object {
  const data = media?.get(sha256);
  if (data === undefined) throw new Error(`the request refers to ${sha256}, and does not have its bytes`);
  const type = mediaType === 'application/pdf' ? 'document' : 'image';
  return { type, source: { type: 'base64', media_type: mediaType, data } };
}

/** The provider refuses a mark on empty text and on thinking. */
function mayCarryMark(block: ContentBlock): boolean {
  switch (block.type) {
    case 'text':
      return block.text.trim() !== '';
    case 'thinking':
    case 'redacted_thinking':
      return false;
    // Nobody knows what such a block may carry.
    case 'provider':
      return false;
    case 'tool_use':
    case 'tool_result':
    case 'image':
    case 'document':
      return true;
  }
}

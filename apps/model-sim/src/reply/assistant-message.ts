/** Makes the message that is served out of what a script said: ids, signature, token counts, the cut at `max_tokens`. */
import type { Reply } from '../scenario.js';
import { openServerCalls } from '../validation/check-server-tools.js';
import { newId } from '../ids.js';
import { signThinking, thinkingTag } from '../thinking-signature.js';
import { estimateTokens, sum } from '../tokens.js';
import type { MessagesRequest, Usage } from '../wire.js';

export type AssistantBlock =
  /** `tokens` is what the thinking costs, also when its text is not shown. */
  | { type: 'thinking'; thinking: string; signature: string; tokens: number }
  | { type: 'text'; text: string }
  /** `json` is the input as it is streamed; it is no valid JSON when the block was cut. */
  | { type: 'tool_use'; id: string; name: string; json: string }
  | { type: 'server_tool_use'; id: string; name: string; json: string }
  /** Served as it is. */
  | { type: 'other'; block: Record<string, unknown> };

export interface AssistantMessage {
  id: string;
  model: string;
  content: AssistantBlock[];
  stopReason: string;
  stopDetails?: Record<string, unknown> | undefined;
  usage: Usage;
}

/**
 * The message for a reply. `inputUsage` is the input side of its usage; overrides of the reply win over estimates. `room` is what the prompt has left of
 * the window, in tokens.
 */
export function assistantMessageOf(
  reply: Reply,
  request: MessagesRequest,
  inputUsage: Omit<Usage, 'output_tokens' | 'service_tier'>,
  room = Infinity,
): AssistantMessage {
  const id = newId('msg_sim_');
  const whole = contentOf(reply, request, id);
  const { content, isCut } = cutToTokens(whole, Math.min(request.max_tokens, room));
  const limit = room < request.max_tokens ? 'model_context_window_exceeded' : 'max_tokens';
  const stopReason =
    reply.stopReason ?? (whole.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
  return {
    id,
    model: request.model,
    content,
    stopReason: isCut ? limit : stopReason,
    usage: {
      ...inputUsage,
      output_tokens: outputTokensOf(content),
      service_tier: 'standard',
      ...definedOnly(reply.usage ?? {}),
    },
  };
}

/** Tokens of the given blocks; what an answer that ends after them is billed. */
export function outputTokensOf(content: readonly AssistantBlock[]): number {
  return sum(content.map(tokensOf));
}

/** The non-streaming body of a message. */
export function messageJson({
  id,
  model,
  content,
  stopReason,
  stopDetails,
  usage,
}: AssistantMessage): Record<string, unknown> {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: content.map(blockJson),
    stop_reason: stopReason,
    stop_sequence: null,
    ...(stopDetails === undefined ? {} : { stop_details: stopDetails }),
    usage,
  };
}

function contentOf(
  reply: Reply,
  { thinking: setting, messages }: MessagesRequest,
  messageId: string,
): AssistantBlock[] {
  const content: AssistantBlock[] = openServerCalls(messages)
    .filter(({ id }) => !(reply.blocks ?? []).some((block) => block['tool_use_id'] === id))
    .map(resultOf);
  let idPrefix = 'toolu_01';
  if (reply.thinking !== undefined && setting?.type !== 'disabled') {
    const thinking = setting?.display === 'omitted' ? '' : reply.thinking;
    const signature = signThinking(thinking, messageId);
    idPrefix = `toolu_${thinkingTag(signature)}`;
    content.push({ type: 'thinking', thinking, signature, tokens: estimateTokens(reply.thinking) });
  }
  for (const block of reply.blocks ?? []) content.push(servedBlock(block, messageId));
  if (reply.text !== undefined && reply.text !== '') content.push({ type: 'text', text: reply.text });
  for (const { name, input } of reply.toolCalls ?? []) {
    content.push({ type: 'tool_use', id: newId(idPrefix), name, json: JSON.stringify(input) });
  }
  return content;
}

/** What the API's own tool gave while the turn was paused, unless the script says it itself. */
function resultOf({ id, name }: { id: string; name: string }): AssistantBlock {
  return { type: 'other', block: { type: `${name}_tool_result`, tool_use_id: id, content: [] } };
}

function servedBlock(block: Record<string, unknown>, messageId: string): AssistantBlock {
  if (block['type'] !== 'thinking') return { type: 'other', block };
  const thinking = String(block['thinking']);
  return {
    type: 'thinking',
    thinking,
    signature: signThinking(thinking, messageId),
    tokens: estimateTokens(thinking),
  };
}

/** Keeps the blocks that fit in `maxTokens`; the one that crosses the limit is cut, those after it are dropped. */
function cutToTokens(
  content: readonly AssistantBlock[],
  maxTokens: number,
): { content: AssistantBlock[]; isCut: boolean } {
  const kept: AssistantBlock[] = [];
  let left = maxTokens;
  for (const block of content) {
    const tokens = tokensOf(block);
    if (tokens > left) {
      if (left > 0 && block.type !== 'thinking') kept.push(shortened(block, left / tokens));
      return { content: kept, isCut: true };
    }
    kept.push(block);
    left -= tokens;
  }
  return { content: kept, isCut: false };
}

/** The block with only this share (0 to 1) of its text or JSON; characters are never split. */
export function shortened(block: AssistantBlock, share: number): AssistantBlock {
  const cut = (text: string): string => {
    const characters = Array.from(text);
    return characters.slice(0, Math.max(1, Math.floor(characters.length * share) - 1)).join('');
  };
  switch (block.type) {
    case 'text':
      return { ...block, text: cut(block.text) };
    case 'tool_use':
    case 'server_tool_use':
      return { ...block, json: cut(block.json) };
    case 'thinking':
    case 'other':
      return block;
  }
}

function tokensOf(block: AssistantBlock): number {
  switch (block.type) {
    case 'thinking':
      return block.tokens;
    case 'text':
      return estimateTokens(block.text);
    case 'tool_use':
    case 'server_tool_use':
      return estimateTokens(block.name + block.json);
    case 'other':
      return estimateTokens(JSON.stringify(block.block));
  }
}

function blockJson(block: AssistantBlock): Record<string, unknown> {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'other':
      return block.block;
    case 'text':
      return { ...block };
    case 'tool_use':
    case 'server_tool_use':
      return { type: block.type, id: block.id, name: block.name, input: inputOf(block.json) };
  }
}

/** A cut input is no JSON; the non-streaming API shows it as an empty object. */
function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return {};
  }
}

function definedOnly<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Thinking must come back as it was served. */
import { invalidRequest } from '../api-error.js';
import { isSignedThinking, thinkingTag, thinkingTagOf } from '../thinking-signature.js';
import { blocksOf, type Message, type MessagesRequest, type ThinkingBlock } from '../wire.js';

/**
 * Throws `ApiError` (400) when a thinking block was changed, or was dropped from the latest assistant message of a tool
 * loop. Only thinking that the simulator served has a valid signature.
 */
export function checkThinkingBlocks({ messages, thinking }: MessagesRequest): void {
  const latest = messages.findLastIndex(({ role }) => role === 'assistant');
  messages.forEach((message, index) => {
    if (message.role === 'assistant') checkSignatures(message, index, index === latest);
  });
  const last = messages[latest];
  if (last !== undefined && thinking?.type !== 'disabled') checkNothingDropped(last, latest);
}

function checkSignatures({ content }: Message, index: number, isLatest: boolean): void {
  const blocks = blocksOf(content);
  blocks.forEach((block, at) => {
    if (block.type !== 'thinking' || isIntact(block)) return;
    throw isLatest
      ? modified(index, at)
      : invalidRequest(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`);
  });
  if (blocks.at(-1)?.type === 'thinking') {
    throw invalidRequest(
      `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`,
    );
  }
}

/** The tool call ids of a message that had thinking carry a tag of it. */
function checkNothingDropped({ content }: Message, index: number): void {
  const blocks = blocksOf(content);
  const present = new Set(
    blocks.flatMap((block) => (block.type === 'thinking' ? [thinkingTag(block.signature)] : [])),
  );
  blocks.forEach((block, at) => {
    const tag = block.type === 'tool_use' ? thinkingTagOf(block.id) : undefined;
    if (tag !== undefined && !present.has(tag)) throw modified(index, at);
  });
}

function isIntact({ thinking, signature }: ThinkingBlock): boolean {
  return isSignedThinking(thinking, signature);
}

function modified(index: number, at: number): Error {
  return invalidRequest(
    `messages.${index}.content.${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

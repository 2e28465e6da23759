/** Rules for the conversation: who speaks when, and what each message must and must not contain. */
import { invalidRequest } from '../api-error.js';
import { blocksOf, type ContentBlock, type Message, type MessagesRequest, type TextBlock } from '../wire.js';

/** Throws `ApiError` (400) when roles are out of order or a message is empty. Tool calls are checked elsewhere. */
export function checkMessages({ messages, system }: MessagesRequest): void {
  if (messages.length === 0) throw invalidRequest('messages: at least one message is required');
  if (messages[0]?.role !== 'user') throw invalidRequest('messages: first message must use the "user" role');
  if (Array.isArray(system)) system.forEach((block, index) => checkText(block, 'system', `system.${index}`));
  messages.forEach((message, index) => {
    checkSystemPlace(messages, index);
    checkContent(message, index);
  });
}

/** Throws when the last message is the assistant's, unless it is a paused turn, which is continued by sending it back. */
export function checkNoPrefill({ messages }: MessagesRequest): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || isPaused(last)) return;
  throw invalidRequest(
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

function isPaused({ content }: Message): boolean {
  const type = blocksOf(content).at(-1)?.type ?? '';
  return type === 'server_tool_use' || (type.endsWith('_tool_result') && type !== 'tool_result');
}

function checkSystemPlace(messages: readonly Message[], index: number): void {
  if (messages[index]?.role !== 'system') return;
  const after = messages[index + 1]?.role;
  if (messages[index - 1]?.role !== 'user' || (after !== undefined && after !== 'assistant')) {
    throw invalidRequest(
      `messages.${index}: a \`system\` message must directly follow a \`user\` message and be last or followed by an \`assistant\` message`,
    );
  }
}

function checkContent({ role, content }: Message, index: number): void {
  if (content.length === 0) {
    throw invalidRequest(
      role === 'user'
        ? `messages.${index}: user messages must have non-empty content`
        : `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  blocksOf(content).forEach((block, position) => checkBlock(block, role, index, position));
}

function checkBlock(block: ContentBlock, role: Message['role'], index: number, position: number): void {
  const path = `messages.${index}.content.${position}`;
  if (block.type === 'text') checkText(block, 'messages', path);
  if (block.type === 'tool_use' && role !== 'assistant') {
    throw invalidRequest(`messages.${index}: \`tool_use\` blocks can only be in \`assistant\` messages`);
  }
  if (block.type === 'thinking' && role !== 'assistant') {
    throw invalidRequest(`messages.${index}: \`thinking\` blocks can only be in \`assistant\` messages`);
  }
  if (block.type !== 'tool_result') return;
  if (role !== 'user') {
    throw invalidRequest(`messages.${index}: \`tool_result\` blocks can only be in \`user\` messages`);
  }
  if (!Array.isArray(block.content)) return;
  block.content.forEach((inner, at) => {
    if (inner.type === 'text') checkText(inner, 'messages', `${path}.tool_result.content.${at}`);
  });
}

function checkText(block: TextBlock, place: 'messages' | 'system', path: string): void {
  if (block.text === '' && block.cache_control != null) {
    throw invalidRequest(`${path}.text: cache_control cannot be set for empty text blocks`);
  }
  if (block.text === '') throw invalidRequest(`${place}: text content blocks must be non-empty`);
  if (block.text.trim() === '')
    throw invalidRequest(`${place}: text content blocks must contain non-whitespace text`);
}

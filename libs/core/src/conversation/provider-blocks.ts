/**
 * Blocks of tools that the provider runs itself. They are kept and sent back as they came; all that is read of them is which result belongs
 * to which call, because the provider refuses a call that stays without one.
 */
import type { ContentBlock } from '@bullpen/contracts';
import type { RequestMessage } from '../task/history.js';

/** Content without those calls of the provider's tools whose results are not in it: after a cut they never come. */
export function withoutUnanswered(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const answered = new Set(content.map((block) => textIn(block, 'tool_use_id')));
  const isOpen = (block: ContentBlock): boolean => {
    const isCall = textIn(block, 'type')?.endsWith('tool_use') === true;
    return isCall && !answered.has(textIn(block, 'id'));
  };
  return content.some(isOpen) ? content.filter((block) => !isOpen(block)) : content;
}

function textIn(block: ContentBlock, name: string): string | undefined {
  const value = block.type === 'provider' ? block.block[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Stands for an answer of which nothing is left. */
const NOTHING: ContentBlock = { type: 'text', text: '(nothing)' };

/** Made once: whoever measures messages knows them by their identity. */
const settled = new WeakMap<RequestMessage, RequestMessage>();

/**
 * The messages as they may be sent: where an answer was paused and did not go on, its unanswered calls are left out. Beside calls of ours they
 * stay: the provider answers them once it has our results.
 */
export function withSettledCalls(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  return messages.map((message, at) =>
    message.role === 'assistant' && messages[at + 1]?.role === 'user' && !message.content.some(isOurs)
      ? settledMessage(message)
      : message,
  );
}

function isOurs({ type }: ContentBlock): boolean {
  return type === 'tool_use';
}

function settledMessage(message: RequestMessage): RequestMessage {
  const before = settled.get(message);
  if (before !== undefined) return before;
  const content = withoutUnanswered(message.content);
  const after =
    content === message.content
      ? message
      : { ...message, content: content.length === 0 ? [NOTHING] : content };
  settled.set(message, after);
  return after;
}

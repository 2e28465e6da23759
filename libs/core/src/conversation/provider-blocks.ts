/**
 * Blocks of tools that the provider runs itself. They are kept and sent back as they came; all that is read of them is which result belongs
 * to which call, because the provider refuses a call that stays without one.
 */
import type { ContentBlock } from '@bullpen/contracts';
import type { RequestMessage } from '../task/history.js';

/** Content without those calls of the provider's tools whose results are not in it: after a cut they never come. */
export function withoutUnanswered(content: readonly ContentBlock[]): readonly ContentBlock[] {
  const answered = new Set(content.map((block) => textIn(block, 'tool_use_id')));
  const isOpen = (block: ContentBlock): boolean => isCall(block) && !answered.has(textIn(block, 'id'));
  return content.some(isOpen) ? content.filter((block) => !isOpen(block)) : content;
}

function isCall(block: ContentBlock): boolean {
  return textIn(block, 'type')?.endsWith('tool_use') === true;
}

function textIn(block: ContentBlock, name: string): string | undefined {
  const value = block.type === 'provider' ? block.block[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Stands for an answer of which nothing is left. */
const NOTHING: ContentBlock = { type: 'text', text: '(nothing)' };

/** A message as it is sent. Made once: whoever measures messages knows them by their identity. */
interface Settled {
  readonly isOver: boolean;
  readonly message: RequestMessage;
}
const settled = new WeakMap<RequestMessage, Settled>();

/**
 * The messages as they may be sent: where an answer was paused and did not go on, its unanswered calls are left out. Beside calls of ours they
 * stay: the provider answers them once it has our results. A result whose call never came is left out everywhere.
 */
export function withSettledCalls(messages: readonly RequestMessage[]): readonly RequestMessage[] {
  const open = new Set<string>();
  return messages.map((message, at) => {
    if (message.role !== 'assistant' || !message.content.some(({ type }) => type === 'provider'))
      return message;
    const isOver = messages[at + 1]?.role === 'user' && !message.content.some(isOurs);
    const sent = settledMessage(message, isOver, open);
    for (const block of sent.content) follow(block, open);
    return sent;
  });
}

function isOurs({ type }: ContentBlock): boolean {
  return type === 'tool_use';
}

function settledMessage(message: RequestMessage, isOver: boolean, open: ReadonlySet<string>): RequestMessage {
  const before = settled.get(message);
  if (before?.isOver === isOver) return before.message;
  const paired = withoutOrphans(message.content, open);
  const content = isOver ? withoutUnanswered(paired) : paired;
  const after =
    content === message.content
      ? message
      : { ...message, content: content.length === 0 ? [NOTHING] : content };
  settled.set(message, { isOver, message: after });
  return after;
}

/** What is called, and has no result yet. */
function follow(block: ContentBlock, open: Set<string>): void {
  if (isCall(block)) open.add(textIn(block, 'id') ?? '');
  else open.delete(textIn(block, 'tool_use_id') ?? '');
}

/** Content without results of calls that are neither before them nor in an earlier message, and without second results. */
function withoutOrphans(
  content: readonly ContentBlock[],
  earlier: ReadonlySet<string>,
): readonly ContentBlock[] {
  const open = new Set(earlier);
  const kept = content.filter((block) => {
    const answered = textIn(block, 'tool_use_id');
    const isPaired = answered === undefined || open.has(answered);
    follow(block, open);
    return isPaired;
  });
  return kept.length === content.length ? content : kept;
}

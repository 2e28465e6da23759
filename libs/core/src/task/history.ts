/** What is legal in the history that a model is sent. The same proof guards every request and checks stored histories. */
import { AppError, isBlank, type ContentBlock, type MessageRole } from '@bullpen/contracts';

/** A message as the model is sent it. */
export interface RequestMessage {
  readonly role: MessageRole;
  readonly content: readonly ContentBlock[];
}

/**
 * The proof of a history that only grows: each message is checked once, when it is added, so that a turn late in a long task costs
 * no more than one at its start. What was added must not change afterwards.
 */
export class HistoryProof {
  private readonly found: string[] = [];
  private readonly ids = new Set<string>();
  private pending: readonly string[] = [];
  private count = 0;
  private last: MessageRole | null = null;
  /** The history ends within work of the provider's own tools, which goes on when it is sent. */
  private goesOn = false;

  /** The rules that what was added breaks, whatever may follow. */
  get faults(): readonly string[] {
    return this.found;
  }

  add(message: RequestMessage): void {
    const at = this.count;
    if (at === 0 && message.role !== 'user') this.found.push('the history must start with a user message');
    if (message.content.length === 0) this.found.push(`message ${at} is empty`);
    for (const block of message.content) {
      if (block.type === 'text' && isBlank(block.text))
        this.found.push(`message ${at} has an empty text block`);
    }
    const final = message.content.at(-1);
    if (final && isThinking(final)) this.found.push(`message ${at} ends with thinking`);
    this.found.push(...pairingProblems(message, at, this.pending));
    this.pending = message.role === 'assistant' ? toolUseIds(message.content) : [];
    for (const id of this.pending) {
      if (this.ids.has(id)) this.found.push(`message ${at} repeats the tool_use id ${id}`);
      this.ids.add(id);
    }
    this.count += 1;
    this.last = message.role;
    this.goesOn = message.role === 'assistant' && final?.type === 'provider';
  }

  /** The rules that are broken if the history is sent as it is now. */
  problems(): string[] {
    const start = this.count === 0 ? ['the history must start with a user message'] : [];
    const end = this.last === 'user' || this.goesOn ? [] : ['the history must end with a user message'];
    return [...start, ...this.found, ...end];
  }

  /**
   * Proves that the history of a task may be sent.
   * @throws AppError `history_corrupt` naming each broken rule; nothing was sent then.
   */
  assertSendable(taskId: string): void {
    const problems = this.problems();
    if (problems.length > 0)
      throw new AppError(
        'history_corrupt',
        `The history of ${taskId} cannot be sent: ${problems.join('; ')}`,
      );
  }
}

/** The same of a list of messages. */
export function assertSendable(taskId: string, messages: readonly RequestMessage[]): void {
  proofOf(messages).assertSendable(taskId);
}

function proofOf(messages: readonly RequestMessage[]): HistoryProof {
  const proof = new HistoryProof();
  for (const message of messages) proof.add(message);
  return proof;
}

/**
 * The rules of the provider that a list of messages breaks; empty when it may be sent. Rules: starts and ends with a user
 * message, no empty content, no thinking at the end of a message, each `tool_use` answered by exactly one `tool_result` in the next message, results before text,
 * no orphan results, ids unique.
 */
export function historyProblems(messages: readonly RequestMessage[]): string[] {
  return proofOf(messages).problems();
}

/** Whether the block is the model's own and must go back to it untouched. */
export function isThinking({ type }: ContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** What a model said and did, without what it thought. */
export function withoutThinking(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.filter((block) => !isThinking(block));
}

/** Content as it may be sent: a message must not end with thinking ("The final block in an assistant message cannot be `thinking`"). */
export function withoutLastThoughts(content: readonly ContentBlock[]): readonly ContentBlock[] {
  return content.slice(0, content.findLastIndex((block) => !isThinking(block)) + 1);
}

function toolUseIds(content: readonly ContentBlock[]): string[] {
  return content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function pairingProblems(message: RequestMessage, at: number, pending: readonly string[]): string[] {
  const problems: string[] = [];
  const answered: string[] = [];
  let textSeen = false;
  for (const block of message.content) {
    if (block.type !== 'tool_result') {
      textSeen = true;
      continue;
    }
    if (message.role !== 'user') problems.push(`message ${at} has a tool_result but is not a user message`);
    if (textSeen) problems.push(`message ${at} has a tool_result after other content`);
    if (!pending.includes(block.tool_use_id))
      problems.push(`message ${at} answers an unknown call ${block.tool_use_id}`);
    if (answered.includes(block.tool_use_id))
      problems.push(`message ${at} answers ${block.tool_use_id} twice`);
    answered.push(block.tool_use_id);
  }
  for (const id of pending) {
    if (!answered.includes(id)) problems.push(`message ${at} leaves the call ${id} unanswered`);
  }
  return problems;
}

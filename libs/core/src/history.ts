/** What is legal in the history that a model is sent. The same proof guards every request and checks stored histories. */
import { AppError, type ContentBlock } from '@bullpen/contracts';
import type { RequestMessage } from './model.js';

/**
 * The rules of the provider that a list of messages breaks; empty when it may be sent. Rules: starts and ends with a user
 * message, no empty content, each `tool_use` answered by exactly one `tool_result` in the next message, results before text,
 * no orphan results, ids unique.
 */
export function historyProblems(messages: readonly RequestMessage[]): string[] {
  const problems: string[] = [];
  if (messages[0]?.role !== 'user') problems.push('the history must start with a user message');
  if (messages.at(-1)?.role !== 'user') problems.push('the history must end with a user message');
  const ids = new Set<string>();
  let pending: string[] = [];
  messages.forEach((message, at) => {
    if (message.content.length === 0) problems.push(`message ${at} is empty`);
    for (const block of message.content) {
      if (block.type === 'text' && block.text.trim() === '')
        problems.push(`message ${at} has an empty text block`);
    }
    problems.push(...pairingProblems(message, at, pending));
    pending = message.role === 'assistant' ? toolUseIds(message.content) : [];
    for (const id of pending) {
      if (ids.has(id)) problems.push(`message ${at} repeats the tool_use id ${id}`);
      ids.add(id);
    }
  });
  return problems;
}

/**
 * Proves that messages may be sent.
 * @throws AppError `history_corrupt` naming each broken rule; nothing was sent then.
 */
export function assertSendable(taskId: string, messages: readonly RequestMessage[]): void {
  const problems = historyProblems(messages);
  if (problems.length > 0) {
    throw new AppError('history_corrupt', `The history of ${taskId} cannot be sent: ${problems.join('; ')}`);
  }
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

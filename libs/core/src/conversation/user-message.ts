/** What user messages are made of: tool results, steering, and what the harness has to say. */
import { goOnText, steeringText } from './prompts.js';
import type { InboxMessage } from '../ports/store.js';
import type { ToolCallRecord } from '../task/task.js';
import { preview } from '../task/text.js';

/** A message to a working agent is marked as such, and one to an agent whose work had ended; a reply is not. */
export function inboxText({ text, source = 'user' }: InboxMessage, reply: boolean): string {
  switch (source) {
    case 'notice':
      return text;
    case 'user':
      return reply ? text : steeringText(text);
    default:
      return goOnText(source, text);
  }
}

/** What the model is told about a call. If it never ran, this says so. */
export function toolResult(call: ToolCallRecord) {
  const content = call.output ?? 'Not run: the task was stopped before this call began.';
  return {
    type: 'tool_result' as const,
    tool_use_id: call.toolUseId,
    content,
    ...(call.media === null ? {} : { media: [...call.media] }),
    ...(call.isError ? { is_error: true } : {}),
  };
}

/** A message of the inbox is delivered. */
export function inboxEvent(messageId: string, { id, text, source }: InboxMessage) {
  const data = { messageId, text: preview(text, 20_000), source: 'steering' as const, inboxId: id };
  return source === 'notice' ? harnessEvent(messageId, text) : { type: 'message.user' as const, data };
}

/** The event for a message that the harness wrote, with its first 20,000 characters. */
export function harnessEvent(messageId: string, text: string) {
  const data = { messageId, text: preview(text, 20_000), source: 'harness' as const };
  return { type: 'message.user' as const, data };
}

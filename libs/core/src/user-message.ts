/** The user messages that the harness writes: tool results, steering, and what it has to say itself. */
import { isConversation } from './offer.js';
import { steeringText } from './prompts.js';
import type { LoopDeps, Run } from './run.js';
import type { RunState } from './run-state.js';
import type { InboxMessage, TaskPatch } from './store.js';
import type { StoredMessage, ToolCallRecord } from './task.js';
import { preview } from './text.js';

/** Records the user message before a model call: tool results first, then steering, then `say`. Often there is nothing to record. */
export function recordUserMessage(
  run: Run,
  inbox: readonly InboxMessage[],
  say: readonly string[],
  patch: TaskPatch = {},
): void {
  const { state, deps } = run;
  const results = unansweredResults(state);
  const texts = [...inbox.map((message) => inboxText(message, isReply(state))), ...say];
  const pieces = { patch, consumedInbox: inbox.map((message) => message.id) };
  if (results.length + texts.length === 0) return state.record(pieces);
  const message = userMessage(state, deps, [
    ...results,
    ...texts.map((text) => ({ type: 'text' as const, text })),
  ]);
  const events = [
    ...inbox.map((item) => inboxEvent(message.id, item)),
    ...say.map((text) => harnessEvent(message.id, text)),
  ];
  state.record({ ...pieces, messages: [message], events });
}

/** The message when the agent is not working: a reply in a conversation, or the start of one. */
function isReply({ task, toolCalls, messages }: RunState): boolean {
  return messages.length === 0 || (isConversation(task) && toolCalls.length === 0);
}

/** A message to a working agent is marked as such; a reply is not. */
export function inboxText({ text, source }: InboxMessage, reply: boolean): string {
  return source === 'notice' || reply ? text : steeringText(text);
}

/** Results of the newest assistant message's calls, while no message answers them yet. */
export function unansweredResults(state: RunState): StoredMessage['content'] {
  return state.messages.at(-1)?.role === 'assistant' ? state.toolCalls.map(toolResult) : [];
}

export function userMessage(
  state: RunState,
  deps: LoopDeps,
  content: StoredMessage['content'],
): StoredMessage {
  const { turns } = state.task;
  return {
    id: deps.newId('msg'),
    seq: state.nextSeq(),
    turn: turns,
    role: 'user',
    content,
    stopReason: null,
  };
}

/** What the model is told about a call. If it never ran, this says so. */
export function toolResult(call: ToolCallRecord) {
  const content = call.output ?? 'Not run: the task was stopped before this call began.';
  return {
    type: 'tool_result' as const,
    tool_use_id: call.toolUseId,
    content,
    ...(call.isError ? { is_error: true } : {}),
  };
}

/** A message of the inbox is delivered. */
export function inboxEvent(messageId: string, { id, text, source }: InboxMessage) {
  const data = { messageId, text: preview(text, 20_000), source: 'steering' as const, inboxId: id };
  return source === 'notice' ? harnessEvent(messageId, text) : { type: 'message.user' as const, data };
}

export function harnessEvent(messageId: string, text: string) {
  const data = { messageId, text: preview(text, 20_000), source: 'harness' as const };
  return { type: 'message.user' as const, data };
}

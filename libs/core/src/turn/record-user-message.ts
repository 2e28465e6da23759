/** The user messages that the harness writes into a history. */
import { isConversation } from '../decide/offer.js';
import type { LoopDeps } from '../ports/loop-deps.js';
import type { Run } from './run.js';
import type { RunState } from './run-state.js';
import type { InboxMessage, TaskPatch } from '../ports/store.js';
import type { StoredMessage } from '../task/task.js';
import { harnessEvent, inboxEvent, inboxText, toolResult } from '../conversation/user-message.js';

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

/** Results of the newest assistant message's calls, while no message answers them yet. */
export function unansweredResults(state: RunState): StoredMessage['content'] {
  return state.messages.at(-1)?.role === 'assistant' ? state.toolCalls.map(toolResult) : [];
}

/** A message with the user's role at the end of the history, in the present turn. */
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

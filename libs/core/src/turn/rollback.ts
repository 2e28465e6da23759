/** Taking back the current turn: the conversation goes on as if it had not started, with the message that asked for that. */
import { interrupt } from './leave.js';
import { isOpen } from '../decide/next-move.js';
import { isConversation } from '../decide/offer.js';
import { takenBackText } from '../conversation/prompts.js';
import type { Run } from './run.js';
import type { StoredMessage, ToolCallRecord } from '../task/task.js';
import { preview } from '../task/text.js';
import { harnessEvent, inboxEvent, inboxText } from '../conversation/user-message.js';
import { userMessage } from './record-user-message.js';

/**
 * Drops the newest answer when its calls have not been answered yet; a turn whose answer is only being streamed has nothing stored.
 * Drop, message and end of the interrupt are one step. Afterwards the state in memory no longer counts.
 */
export async function rollBack(run: Run): Promise<void> {
  const { state, deps } = run;
  // The step can drop only what is stored.
  await state.flush();
  const dropped = unfinishedAnswer(run);
  const began = state.toolCalls.filter(({ startedAt }) => dropped !== null && startedAt !== null);
  interrupt(state, deps, dropped === null ? [] : state.toolCalls.filter(isOpen));
  const inbox = state.task.inboxPending > 0 ? await state.takeInbox() : [];
  const notes = began.length === 0 ? [] : [takenBackText(began.map((call) => describe(call)))];
  const texts = [...notes, ...inbox.map((item) => inboxText(item, isConversation(state.task)))];
  if (dropped) {
    const data = { reason: 'rollback' as const, messageIds: [dropped.id] };
    state.record({ events: [{ type: 'history.rewound', data }] });
  }
  if (texts.length > 0) {
    const content = texts.map((text) => ({ type: 'text' as const, text }));
    const message = userMessage(state, deps, content);
    const events = [
      ...notes.map((text) => harnessEvent(message.id, text)),
      ...inbox.map((item) => inboxEvent(message.id, item)),
    ];
    state.record({ messages: [message], events });
  }
  await state.commit({
    dropFrom: dropped?.seq ?? null,
    consumedInbox: inbox.map(({ id }) => id),
    patch: { interrupted: false, ...(state.task.phase === 'extract' ? { phase: 'work' } : {}) },
  });
}

function unfinishedAnswer({ state }: Run): StoredMessage | null {
  const last = state.messages.at(-1);
  return last?.role === 'assistant' && state.toolCalls.length > 0 ? last : null;
}

/** One line about a call that had started, as the model reads it. */
function describe(call: ToolCallRecord): string {
  const what = `${call.tool} ${preview(call.rawArguments, 500)}`;
  if (isOpen(call)) return `${what}: stopped while it ran; how much of it took effect is unknown`;
  return `${what}: ${call.isError ? 'failed' : 'done'}, ${preview(call.output ?? '', 500)}`;
}

/** What is recorded of an answer: the message with its calls or, if it says nothing, a request to say something. */
import { EMPTY_REQUEST, emptyAnswersInARow, isWholeEnd, NO_STOP_REASON } from '../task/answer-end.js';
import { withdrawing } from './ask-person.js';
import { acceptProfile } from './choose-profile.js';
import { mistakesAfterEmpty } from '../decide/mistakes.js';
import { contextTokensOf, settle } from './model-usage.js';
import type { StreamedAnswer } from './stream-answer.js';
import type { ParsedAnswer, ParsedToolCall } from '../conversation/native-parser.js';
import { failedEnd } from '../decide/next-move.js';
import type { ModelCallEnd, Run } from './run.js';
import type { Recording } from './draft.js';
import type { ModelCallRecord, StoredMessage, ToolCallRecord } from '../task/task.js';

/** Complete, or cut after a text or tool block had ended: such an answer is kept and never asked for again. */
export function isUsable(answer: ParsedAnswer): boolean {
  if (answer.complete) return true;
  return answer.error?.class !== 'aborted' && saysSomething(answer);
}

/** An answer without text and calls is empty, whatever was thought: the provider refuses a message that ends with thinking. */
function saysSomething({ content, stopReason }: ParsedAnswer): boolean {
  if (content.some(({ type }) => type === 'text' || type === 'tool_use')) return true;
  // What the provider's own tools did was paid for; an answer that ends with it alone has no words.
  return content.some(({ type }) => type === 'provider') && !isWholeEnd(stopReason, false);
}

/** The answer, its usage and its calls: recorded together, committed with the first intent of what follows. */
export function recordAnswer(
  run: Run,
  intent: ModelCallRecord,
  answer: StreamedAnswer,
  messageId: string,
): ModelCallEnd {
  const { state } = run;
  // With this turn, what was asked in the one before needs no answer any more.
  state.record(withdrawing(state.unanswered()));
  const stopReason = answer.complete ? answer.stopReason : NO_STOP_REASON;
  const settled = settle(run, intent, answer, { status: 'done', stopReason });
  const turn = state.task.turns + 1;
  if (stopReason === 'refusal') {
    state.record({ ...settled, patch: { turns: turn } });
    return {
      kind: 'ended',
      outcome: failedEnd(
        'refused',
        'refused',
        answer.text === '' ? 'The model refused to continue.' : answer.text,
      ),
    };
  }
  if (!saysSomething(answer)) return recordEmpty(run, settled, turn);
  const message: StoredMessage = {
    id: messageId,
    seq: state.nextSeq(),
    turn,
    role: 'assistant',
    content: answer.content,
    stopReason,
    contextTokens: contextTokensOf(answer),
  };
  const accepted = acceptProfile(run, message.seq);
  state.record({
    ...settled,
    messages: [message],
    patch: { turns: turn, ...accepted.patch },
    events: [
      ...(settled.events ?? []),
      ...(accepted.events ?? []),
      {
        type: 'message.agent',
        data: {
          messageId,
          turn,
          text: answer.text,
          ...(answer.reasoning === '' ? {} : { reasoning: answer.reasoning }),
        },
      },
    ],
  });
  state.record({
    toolCalls: answer.toolCalls.map((call, position) => toolCallRow(run, message, call, position)),
  });
  return { kind: 'answered' };
}

/** After this many empty answers in a row, nothing more is expected. */
const MAX_EMPTY = 3;

/** An empty answer was paid for but says nothing: it is never stored; a new user message asks to go on. */
function recordEmpty(run: Run, settled: Recording, turn: number): ModelCallEnd {
  const { state, deps } = run;
  const id = deps.newId('msg');
  const content = [{ type: 'text' as const, text: EMPTY_REQUEST }];
  state.record({
    ...settled,
    messages: [{ id, seq: state.nextSeq(), turn, role: 'user', content, stopReason: null }],
    patch: { turns: turn, mistakes: mistakesAfterEmpty(state.task.mistakes) },
    events: [
      ...(settled.events ?? []),
      { type: 'message.user', data: { messageId: id, text: EMPTY_REQUEST, source: 'harness' } },
    ],
  });
  // The turn is over although no answer is stored: the next model call is the first of another turn.
  state.modelCalls = [];
  return emptyAnswersInARow(state.messages) >= MAX_EMPTY
    ? {
        kind: 'ended',
        outcome: failedEnd('mistakes', 'mistakes', 'The model kept giving empty answers.'),
      }
    : { kind: 'again' };
}

/** A call as the model asked for it. One whose arguments cannot be used has its answer already. */
function toolCallRow(
  { deps }: Run,
  message: StoredMessage,
  call: ParsedToolCall,
  position: number,
): ToolCallRecord {
  const { toolUseId, tool, rawArguments, problem } = call;
  return {
    id: deps.newId('call'),
    messageId: message.id,
    turn: message.turn,
    position,
    toolUseId,
    tool,
    status: problem === null ? 'generated' : 'errored',
    rawArguments,
    arguments: call.arguments,
    approval: null,
    output: problem === null ? null : deps.masker.mask(problem),
    fullOutput: null,
    media: null,
    isError: problem !== null,
    childTaskId: null,
    startedAt: null,
    endedAt: problem === null ? null : new Date(deps.now()),
    completesTask: false,
    startedEpoch: null,
    sandbox: null,
  };
}

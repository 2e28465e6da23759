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
    output: problem,
    fullOutput: null,
    isError: problem !== null,
    childTaskId: null,
    startedAt: null,
    endedAt: problem === null ? null : new Date(deps.now()),
    completesTask: false,
    startedEpoch: null,
  };
}

/**
 * One model call of a turn, with its attempts: reserve and record the intent, stream, then record the answer or the failure.
 * A stored answer is never asked for again; what a lost worker had asked is written off as abandoned before a new attempt.
 */
import { withdrawing } from './ask-person.js';
import { worstCaseNanoUsd } from './limits.js';
import type { ModelRequest } from './model.js';
import { overBudget, recordFailure, recordUnsent, type ModelCallEnd } from './model-failure.js';
import { settle, writeOffStarted } from './model-usage.js';
import type { ParsedAnswer, ParsedToolCall } from './native-parser.js';
import { failure } from './next-move.js';
import { passGate } from './provider-gate.js';
import { EMPTY_REQUEST } from './prompts.js';
import { buildRequest } from './request.js';
import type { Run } from './run.js';
import type { Recording } from './run-state.js';
import { streamAnswer } from './stream-answer.js';
import type { ModelCallRecord, StoredMessage, ToolCallRecord } from './task.js';
import { recordUserMessage } from './user-message.js';

/** Calls the model for the present turn until there is an answer, a wait or an end. Throws `history_corrupt` before sending anything illegal. */
export async function callModel(run: Run, signal: AbortSignal): Promise<ModelCallEnd> {
  writeOffStarted(run.state, run.deps);
  for (;;) {
    const gate = await passGate(run, signal);
    if (gate !== 'open') return gate;
    let request = buildRequest(run.state, run.tools);
    run.state.proof.assertSendable(run.state.task.id);
    const intent = intentOf(run, request);
    if (intent === null) {
      const message = `The model ${request.model} has no known price, so a run with a cost limit cannot use it. Set limits.costUsd to null to run without one.`;
      return { kind: 'ended', outcome: failure('error', 'model_failed', message, 'request') };
    }
    const committed = await run.state.commit({
      modelCalls: [intent],
      reserveNanoUsd: intent.reservedNanoUsd,
    });
    if (committed.kind === 'over_budget') return overBudget(run, committed, intent.reservedNanoUsd);
    if (run.state.mustStop()) return recordUnsent(run, intent);
    if (await listened(run)) request = buildRequest(run.state, run.tools);

    const messageId = run.deps.newId('msg');
    const answer = await streamAnswer(run, request, messageId, signal);
    if (usable(answer)) return recordAnswer(run, intent, answer, messageId);
    const next = await recordFailure(run, intent, answer, signal);
    if (next !== 'over') return next;
  }
}

/** Steering that came while the last tools ran is known only now; nothing was sent yet, so it still goes with this request. */
async function listened(run: Run): Promise<boolean> {
  if (run.state.task.phase !== 'work' || run.state.task.inboxPending === 0) return false;
  recordUserMessage(run, await run.state.takeInbox(), []);
  await run.state.commit();
  return true;
}

/** The row that says a call is about to be made. Null when the model has no price but the tree has a cost limit. */
function intentOf(run: Run, request: ModelRequest): ModelCallRecord | null {
  const { state, deps } = run;
  const now = new Date(deps.now());
  const chars = state.historyChars + request.system.length + JSON.stringify(request.tools).length;
  const price = deps.priceOf(request.model, now, Math.ceil(chars / 2.5), 'dearest');
  if (price === null && state.task.definition.limits.costUsd !== null) return null;
  return {
    id: deps.newId('mcall'),
    turn: state.task.turns + 1,
    attempt: state.modelCalls.length + 1,
    taskAttempt: state.task.attempt,
    phase: state.task.phase,
    model: request.model,
    status: 'started',
    requestHash: deps.hash(`${request.system}\n${JSON.stringify(request.messages.at(-1))}`).slice(0, 32),
    requestMessages: request.messages.length,
    reservedNanoUsd: price === null ? 0n : worstCaseNanoUsd(chars, request.maxOutputTokens, price),
    providerRequestId: null,
    stopReason: null,
    errorClass: null,
    errorMessage: null,
    retryDelayMs: null,
    startedAt: now,
    endedAt: null,
  };
}

/** Complete, or cut after a text or tool block had ended: such an answer is kept and never asked for again. */
function usable(answer: ParsedAnswer): boolean {
  if (answer.complete) return true;
  if (answer.error?.class === 'aborted') return false;
  return answer.content.some((block) => block.type === 'text' || block.type === 'tool_use');
}

/** The answer, its usage and its calls: recorded together, committed with the first intent of what follows. */
function recordAnswer(
  run: Run,
  intent: ModelCallRecord,
  answer: ParsedAnswer,
  messageId: string,
): ModelCallEnd {
  const { state } = run;
  // With this turn, what was asked in the one before needs no answer any more.
  state.record(withdrawing(state.unanswered()));
  const stopReason = answer.complete ? answer.stopReason : 'cut';
  const settled = settle(run, intent, answer, { status: 'done', stopReason });
  const turn = state.task.turns + 1;
  if (stopReason === 'refusal') {
    state.record({ ...settled, patch: { turns: turn } });
    return {
      kind: 'ended',
      outcome: failure(
        'refused',
        'refused',
        answer.text === '' ? 'The model refused to go on.' : answer.text,
      ),
    };
  }
  if (answer.content.length === 0) return recordEmpty(run, settled, turn);
  const message: StoredMessage = {
    id: messageId,
    seq: state.nextSeq(),
    turn,
    role: 'assistant',
    content: answer.content,
    stopReason,
  };
  state.record({
    ...settled,
    messages: [message],
    patch: { turns: turn },
    events: [
      ...(settled.events ?? []),
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

/** An empty answer was paid for but says nothing: it is never stored; a new user message asks to go on. */
function recordEmpty(run: Run, settled: Recording, turn: number): ModelCallEnd {
  const { state, deps } = run;
  const id = deps.newId('msg');
  const content = [{ type: 'text' as const, text: EMPTY_REQUEST }];
  state.record({
    ...settled,
    messages: [{ id, seq: state.nextSeq(), turn, role: 'user', content, stopReason: null }],
    patch: { turns: turn, mistakes: state.task.mistakes + 1 },
    events: [
      ...(settled.events ?? []),
      { type: 'message.user', data: { messageId: id, text: EMPTY_REQUEST, source: 'harness' } },
    ],
  });
  // The turn is over although no answer of it is stored: what is asked next is the first call of another one.
  state.modelCalls = [];
  const tooMany = state.task.mistakes >= 3;
  return tooMany
    ? {
        kind: 'ended',
        outcome: failure('mistakes', 'mistakes', 'The model gave empty answers again and again.'),
      }
    : { kind: 'again' };
}

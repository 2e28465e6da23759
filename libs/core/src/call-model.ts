/**
 * One model call of a turn, with its attempts: reserve and record the intent, stream, then record the answer or the failure.
 * A stored answer is never asked for again; what a lost worker had asked is written off as abandoned before a new attempt.
 */
import { usdOf, type TokenUsage } from '@bullpen/contracts';
import { assertSendable } from './history.js';
import { worstCaseNanoUsd } from './limits.js';
import { costOf, promptTokensOf, type ModelChunk, type ModelError, type ModelRequest } from './model.js';
import { AnswerParser, type ParsedAnswer } from './native-parser.js';
import { failure, limited } from './next-move.js';
import { EMPTY_REQUEST } from './prompts.js';
import { buildRequest } from './request.js';
import { decideRetry } from './retry.js';
import type { LoopDeps, Run } from './run.js';
import type { Recording, RunState } from './run-state.js';
import type { CommitResult, UsageWrite } from './store.js';
import type { ModelCallRecord, StoredMessage, TaskOutcome, ToolCallRecord } from './task.js';
import { preview } from './text.js';
import { recordUserMessage } from './user-message.js';

/** `answered`: the answer is recorded. `again`: nothing usable came; the loop looks again (cancel, drain, a new message). */
export type ModelCallEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'again' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'ended'; readonly outcome: TaskOutcome };

/** Longest grace turn; a limit must not turn into another long run. */
const GRACE_MS = 60_000;
/** How soon a task looks again for budget that its siblings hold reserved. */
const BUDGET_RECHECK_MS = 1_000;
const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWrite5mTokens: 0, cacheWrite1hTokens: 0 };

/** Calls the model for the present turn until there is an answer, a wait or an end. Throws `history_corrupt` before sending anything illegal. */
export async function callModel(run: Run, signal: AbortSignal): Promise<ModelCallEnd> {
  writeOffStarted(run.state, run.deps);
  for (;;) {
    let request = buildRequest(run.state, run.tools);
    assertSendable(run.state.task.id, request.messages);
    const intent = intentOf(run, request);
    if (intent === null) {
      const message = `The model ${request.model} has no known price, so a run with a cost limit cannot use it. Set limits.costUsd to null to run without one.`;
      return { kind: 'ended', outcome: failure('error', 'model_failed', message, 'request') };
    }
    const committed = await run.state.commit({ modelCalls: [intent], reserveNanoUsd: intent.reservedNanoUsd });
    if (committed.kind === 'over_budget') return overBudget(run, committed);
    if (run.state.task.cancelRequested) return recordUnsent(run, intent);
    if (await listened(run)) request = buildRequest(run.state, run.tools);

    const messageId = run.deps.newId('msg');
    const answer = await stream(run, request, messageId, signal);
    if (usable(answer)) return recordAnswer(run, intent, answer, messageId);
    const next = await recordFailure(run, intent, answer, signal);
    if (next !== 'retry') return next;
  }
}

/** Steering that came while the last tools ran is known only now; nothing was sent yet, so it still goes with this request. */
async function listened(run: Run): Promise<boolean> {
  if (run.state.task.phase !== 'work' || run.state.task.inboxPending === 0) return false;
  recordUserMessage(run, await run.state.inbox(), []);
  await run.state.commit();
  return true;
}

/** Calls that a lost worker had started: the provider may have billed them, so they count with an estimate. */
export function writeOffStarted(state: RunState, deps: LoopDeps): void {
  for (const call of state.modelCalls.filter(({ status }) => status === 'started')) {
    const usage = { ...NO_TOKENS, inputTokens: Math.ceil(state.historyChars / 3.5) };
    state.record({
      modelCalls: [{ ...call, status: 'abandoned', errorClass: 'network', errorMessage: 'The worker was lost during this call.', endedAt: new Date(deps.now()), reservedNanoUsd: 0n }],
      usage: [priced(deps, call, usage, { estimated: true, simulated: false })],
      releaseNanoUsd: call.reservedNanoUsd,
    });
  }
}

/** The row that says a call is about to be made. Null when the model has no price but the tree has a cost limit. */
function intentOf(run: Run, request: ModelRequest): ModelCallRecord | null {
  const { state, deps } = run;
  const now = new Date(deps.now());
  const chars = state.historyChars + request.system.length + JSON.stringify(request.tools).length;
  const price = deps.priceOf(request.model, now, Math.ceil(chars / 2.5));
  if (price === null && state.task.definition.limits.costUsd !== null) return null;
  return {
    id: deps.newId('mcall'),
    turn: state.task.turns + 1,
    attempt: state.modelCalls.length + 1,
    phase: state.task.phase,
    model: request.model,
    status: 'started',
    requestHash: deps.hash(`${request.system}\n${JSON.stringify(request.messages.at(-1))}`),
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

/** Reads one stream to its end; live pieces go out as they come. */
async function stream(run: Run, request: ModelRequest, messageId: string, signal: AbortSignal): Promise<ParsedAnswer> {
  const parser = new AnswerParser();
  const emitter = deltaEmitter(run, messageId);
  const bound = run.state.task.phase === 'grace' ? AbortSignal.any([signal, run.deps.timeout(GRACE_MS)]) : signal;
  for await (const chunk of run.deps.model.stream(request, bound)) {
    parser.push(chunk);
    emitter(chunk);
  }
  const taken = run.state.messages.flatMap((message) => message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])));
  return parser.finish(new Set(taken));
}

function deltaEmitter(run: Run, messageId: string): (chunk: ModelChunk) => void {
  const { deps, state } = run;
  const tools = new Map<number, { toolUseId: string; tool: string; offset: number }>();
  let text = 0;
  let reasoning = 0;
  return (chunk) => {
    if (chunk.type === 'text') {
      deps.emit(state.task.id, { type: 'message.delta', data: { messageId, offset: text, text: chunk.text } });
      text += chunk.text.length;
    } else if (chunk.type === 'reasoning' && chunk.text !== '') {
      deps.emit(state.task.id, { type: 'reasoning.delta', data: { messageId, offset: reasoning, text: chunk.text } });
      reasoning += chunk.text.length;
    } else if (chunk.type === 'tool_call_start') {
      tools.set(chunk.index, { toolUseId: chunk.id, tool: chunk.name, offset: 0 });
    } else if (chunk.type === 'tool_call_delta') {
      const tool = tools.get(chunk.index);
      if (!tool) return;
      deps.emit(state.task.id, { type: 'tool.generating', data: { messageId, ...tool, json: chunk.json } });
      tool.offset += chunk.json.length;
    }
  };
}

/** Complete, or cut after a text or tool block had ended: such an answer is kept and never asked for again. */
function usable(answer: ParsedAnswer): boolean {
  if (answer.complete) return true;
  if (answer.error?.class === 'aborted') return false;
  return answer.content.some((block) => block.type === 'text' || block.type === 'tool_use');
}

/** The answer, its usage and its calls: recorded together, committed with the first intent of what follows. */
function recordAnswer(run: Run, intent: ModelCallRecord, answer: ParsedAnswer, messageId: string): ModelCallEnd {
  const { state, deps } = run;
  const stopReason = answer.complete ? answer.stopReason : 'cut';
  const settled = settle(run, intent, answer, { status: 'done', stopReason });
  const turn = state.task.turns + 1;
  if (stopReason === 'refusal') {
    state.record({ ...settled, patch: { turns: turn } });
    return { kind: 'ended', outcome: failure('refused', 'refused', answer.text === '' ? 'The model refused to go on.' : answer.text) };
  }
  if (answer.content.length === 0) return recordEmpty(run, settled, turn);
  const message: StoredMessage = { id: messageId, seq: state.messages.length + 1, turn, role: 'assistant', content: answer.content, stopReason };
  state.record({
    ...settled,
    messages: [message],
    patch: { turns: turn },
    events: [
      ...(settled.events ?? []),
      { type: 'message.agent', data: { messageId, turn, text: answer.text, ...(answer.reasoning === '' ? {} : { reasoning: answer.reasoning }) } },
    ],
  });
  state.record({
    toolCalls: answer.toolCalls.map((call, position): ToolCallRecord => ({
      id: deps.newId('call'),
      messageId,
      turn,
      position,
      toolUseId: call.toolUseId,
      tool: call.tool,
      status: call.problem === null ? 'generated' : 'errored',
      rawArguments: call.rawArguments,
      arguments: call.arguments,
      approval: null,
      output: call.problem,
      fullOutput: null,
      isError: call.problem !== null,
      childTaskId: null,
      startedAt: null,
      endedAt: call.problem === null ? null : new Date(deps.now()),
      completesTask: false,
      startedEpoch: null,
    })),
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
    messages: [{ id, seq: state.messages.length + 1, turn, role: 'user', content, stopReason: null }],
    patch: { turns: turn, mistakes: state.task.mistakes + 1 },
    events: [...(settled.events ?? []), { type: 'message.user', data: { messageId: id, text: EMPTY_REQUEST, source: 'harness' } }],
  });
  const tooMany = state.task.mistakes >= 3;
  return tooMany ? { kind: 'ended', outcome: failure('mistakes', 'mistakes', 'The model gave empty answers again and again.') } : { kind: 'again' };
}

/** Usage, price and the closed model call. Figures come from the provider; without them an estimate is charged and marked. */
function settle(run: Run, intent: ModelCallRecord, answer: ParsedAnswer, end: Pick<ModelCallRecord, 'status' | 'stopReason'>): Recording {
  const estimated = answer.usage === null || !answer.complete;
  const usage = estimated ? estimate(run, answer) : (answer.usage ?? NO_TOKENS);
  const write = priced(run.deps, intent, usage, { estimated, simulated: answer.simulated });
  const costUsd = write.costNanoUsd === null ? null : usdOf(write.costNanoUsd);
  return {
    modelCalls: [{ ...intent, ...end, providerRequestId: answer.providerRequestId, endedAt: new Date(run.deps.now()), reservedNanoUsd: 0n }],
    usage: [write],
    releaseNanoUsd: intent.reservedNanoUsd,
    events: [
      { type: 'usage.recorded', data: { modelCallId: intent.id, model: intent.model, usage, costUsd } },
    ],
  };
}

/** What a broken stream probably cost: the provider's input figures when it gave them, and the text that arrived. */
function estimate(run: Run, answer: ParsedAnswer): TokenUsage {
  const known = answer.usage ?? { ...NO_TOKENS, inputTokens: Math.ceil(run.state.historyChars / 3.5) };
  const chars = JSON.stringify(answer.content).length;
  return { ...known, outputTokens: Math.max(known.outputTokens, Math.ceil(chars / 3.5)) };
}

function priced(deps: LoopDeps, call: ModelCallRecord, usage: TokenUsage, marks: Pick<UsageWrite, 'estimated' | 'simulated'>): UsageWrite {
  const price = deps.priceOf(call.model, call.startedAt, promptTokensOf(usage));
  return { modelCallId: call.id, model: call.model, usage, price, costNanoUsd: price && costOf(usage, price), ...marks };
}

/** Records what went wrong and decides: again at once, later, or not at all. */
async function recordFailure(run: Run, intent: ModelCallRecord, answer: ParsedAnswer, signal: AbortSignal): Promise<ModelCallEnd | 'retry'> {
  const { state, deps } = run;
  const error = answer.error ?? cutStream(answer);
  const sameClass = state.modelCalls.filter((call) => call.errorClass === error.class && call.status !== 'started').length + 1;
  const decision = decideRetry(error, sameClass, deps.retry, deps.random);
  const delayMs = decision.kind === 'fail' ? null : decision.delayMs;
  const billed = answer.usage !== null;
  const settled = billed ? settle(run, intent, answer, { status: 'failed', stopReason: null }) : {};
  const failed: ModelCallRecord = {
    ...intent,
    status: error.class === 'aborted' ? 'abandoned' : 'failed',
    providerRequestId: error.providerRequestId ?? answer.providerRequestId,
    errorClass: error.class,
    errorMessage: preview(error.message, 2_000),
    retryDelayMs: delayMs,
    endedAt: new Date(deps.now()),
    reservedNanoUsd: 0n,
  };
  state.record({ ...settled, modelCalls: [failed], releaseNanoUsd: intent.reservedNanoUsd });
  if (error.class === 'aborted') return state.task.phase === 'grace' && !signal.aborted ? { kind: 'ended', outcome: limited(state.task, null) } : { kind: 'again' };
  if (delayMs !== null) {
    const data = { modelCallId: intent.id, errorClass: error.class, message: failed.errorMessage ?? '', attempt: sameClass, delayMs };
    state.record({ events: [{ type: 'retry.scheduled', data }] });
  }
  switch (decision.kind) {
    case 'fail':
      return { kind: 'ended', outcome: failure('error', 'model_failed', error.message, error.class) };
    case 'park':
      return suspend(run, 'provider', decision.delayMs);
    case 'retry':
      if (decision.where === 'suspended') return suspend(run, 'backoff', decision.delayMs);
      await state.commit();
      if (state.task.cancelRequested) return { kind: 'again' };
      await deps.sleep(decision.delayMs, signal);
      return signal.aborted || deps.shouldYield() ? { kind: 'again' } : 'retry';
  }
}

function cutStream(answer: ParsedAnswer): ModelError {
  const message = 'The stream ended before the answer was complete.';
  return { class: 'network', message, httpStatus: null, retryAfterMs: null, providerRequestId: answer.providerRequestId };
}

async function suspend(run: Run, reason: 'provider' | 'backoff' | 'budget', dueInMs: number): Promise<ModelCallEnd> {
  const wait = { reason, mode: 'all' as const, childIds: [], dueInMs };
  await run.state.commit({}, { kind: 'suspend', waitId: run.deps.newId('wait'), wait });
  return { kind: 'waiting' };
}

/** A cancel came between the decision and the intent: the call is closed without having been sent. */
function recordUnsent(run: Run, intent: ModelCallRecord): ModelCallEnd {
  run.state.record({
    modelCalls: [{ ...intent, status: 'abandoned', errorClass: 'aborted', errorMessage: 'Not sent: the task was cancelled.', endedAt: new Date(run.deps.now()), reservedNanoUsd: 0n }],
    releaseNanoUsd: intent.reservedNanoUsd,
  });
  return { kind: 'again' };
}

/** The tree's money does not cover the worst case of this call. What siblings hold reserved may come back: then wait for it. */
async function overBudget(run: Run, account: Extract<CommitResult, { kind: 'over_budget' }>): Promise<ModelCallEnd> {
  if (account.reservedNanoUsd > 0n) return suspend(run, 'budget', BUDGET_RECHECK_MS);
  const task = { ...run.state.task, pendingCause: run.state.task.pendingCause ?? ('cost_limit' as const) };
  run.state.record({ events: [{ type: 'limit.reached', data: { cause: 'cost_limit', message: 'The budget of the tree does not cover another model call.' } }] });
  return { kind: 'ended', outcome: limited(task, null) };
}

/** What model calls used and cost: the provider's figures, and marked estimates where it gave none. */
import {
  NO_TOKENS,
  usdOf,
  type ContextSize,
  type DurableEventBody,
  type TokenUsage,
} from '@bullpen/contracts';
import { messageTokens, withFigure } from '../context/size.js';
import { warningsOf } from '../context/warnings.js';
import { profileOfCall } from '../task/profile-of.js';
import { costOf, priceFor, promptTokensOf, type ServiceTerms } from '../task/prices.js';
import type { StreamedAnswer } from './stream-answer.js';
import type { ParsedAnswer } from '../conversation/native-parser.js';
import { countDoubts } from './measure.js';
import type { Run } from './run.js';
import type { Recording } from './draft.js';
import type { UsageWrite } from '../ports/store.js';
import type { ModelCallRecord } from '../task/task.js';

/** Calls that a lost worker had started: the provider may have billed them, so they count with an estimate. */
export function writeOffStarted({ state, deps }: Pick<Run, 'state' | 'deps'>): void {
  for (const call of state.modelCalls.filter(({ status }) => status === 'started')) {
    const usage = { ...NO_TOKENS, inputTokens: call.context?.tokens ?? 0 };
    const write = priced({ state, deps }, call, usage, { estimated: true, simulated: false });
    const abandoned: ModelCallRecord = {
      ...call,
      status: 'abandoned',
      errorClass: 'network',
      errorMessage: 'The worker was lost during this call.',
      endedAt: new Date(deps.now()),
      reservedNanoUsd: 0n,
    };
    state.record({
      modelCalls: [abandoned],
      usage: [write],
      releaseNanoUsd: call.reservedNanoUsd,
      events: [usageEvent(write)],
    });
  }
}

/** Usage, price and the closed model call. Figures come from the provider; without them an estimate is charged and marked. */
export function settle(
  run: Run,
  intent: ModelCallRecord,
  answer: StreamedAnswer,
  end: Pick<ModelCallRecord, 'status' | 'stopReason'>,
): Recording {
  const known = answer.usage ?? NO_TOKENS;
  const estimated = !isPlausible(answer, known);
  const usage = estimated ? estimate(intent, answer, known) : known;
  const write = priced(run, intent, usage, { estimated, simulated: answer.simulated }, answer.terms);
  const figure = contextTokensOf(answer);
  const context =
    intent.context && figure !== undefined ? withFigure(intent.context, figure) : intent.context;
  return {
    modelCalls: [
      {
        ...intent,
        ...end,
        context,
        firstByteMs: answer.firstByteMs,
        firstTextMs: answer.firstTextMs,
        providerRequestId: answer.providerRequestId,
        endedAt: new Date(run.deps.now()),
        reservedNanoUsd: 0n,
      },
    ],
    usage: [write],
    releaseNanoUsd: intent.reservedNanoUsd,
    events: [
      usageEvent(write, context),
      ...(context === null ? [] : warningsOf(run.state.context, context)),
      ...(estimated ? [] : countDoubts(run, intent, usage)),
    ],
  };
}

/** A call whose answer is of no use: closed with its reason, and with its price where the provider named one. */
export function wasted(
  run: Run,
  intent: ModelCallRecord,
  answer: StreamedAnswer,
  why: Pick<ModelCallRecord, 'errorClass' | 'errorMessage'> & { readonly status: 'failed' | 'abandoned' },
): Recording {
  const end = { status: why.status, stopReason: answer.stopReason };
  const settled = answer.usage === null ? {} : settle(run, intent, answer, end);
  const closed: ModelCallRecord = {
    ...intent,
    ...end,
    ...why,
    providerRequestId: answer.error?.providerRequestId ?? answer.providerRequestId,
    endedAt: new Date(run.deps.now()),
    reservedNanoUsd: 0n,
  };
  return { ...settled, modelCalls: [closed], releaseNanoUsd: intent.reservedNanoUsd };
}

/** Tokens of an answer and of its whole prompt, where the provider's figures can be true. */
export function contextTokensOf(answer: ParsedAnswer): number | undefined {
  const known = answer.usage ?? NO_TOKENS;
  return isPlausible(answer, known) ? promptTokensOf(known) + known.outputTokens : undefined;
}

/** Whether the provider's figures can belong to this answer: there is no request without a prompt, and no text without output. */
function isPlausible(answer: ParsedAnswer, known: TokenUsage): boolean {
  if (!answer.complete || answer.usageDoubtful || promptTokensOf(known) === 0) return false;
  return known.outputTokens > 0 || answer.content.length === 0;
}

/**
 * What an answer probably cost: the provider's figures where it gave any, else what was sent and what arrived. The output figure of a
 * broken stream is the one from its start, so that what arrived may be more.
 */
function estimate({ context }: ModelCallRecord, answer: ParsedAnswer, known: TokenUsage): TokenUsage {
  const sent = promptTokensOf(known) > 0 ? 0 : (context?.tokens ?? 0);
  const arrived =
    answer.complete && known.outputTokens > 0
      ? 0
      : messageTokens({ role: 'assistant', content: answer.content });
  return {
    ...known,
    inputTokens: known.inputTokens + sent,
    outputTokens: Math.max(known.outputTokens, arrived),
  };
}

function priced(
  { state, deps }: Pick<Run, 'state' | 'deps'>,
  call: ModelCallRecord,
  usage: TokenUsage,
  marks: Pick<UsageWrite, 'estimated' | 'simulated'>,
  terms: ServiceTerms | null = null,
): UsageWrite {
  const profile = profileOfCall(state.task, call);
  const price = priceFor(profile, call.startedAt, promptTokensOf(usage), terms, deps.priceOf);
  return {
    modelCallId: call.id,
    model: call.model,
    usage,
    price,
    costNanoUsd: price && costOf(usage, price),
    ...marks,
    estimated: marks.estimated || price?.assumed === true,
  };
}

function usageEvent(
  { modelCallId, model, usage, costNanoUsd }: UsageWrite,
  context: ContextSize | null = null,
): DurableEventBody {
  const costUsd = costNanoUsd === null ? null : usdOf(costNanoUsd);
  const data = { modelCallId, model, usage, costUsd, ...(context === null ? {} : { context }) };
  return { type: 'usage.recorded', data };
}

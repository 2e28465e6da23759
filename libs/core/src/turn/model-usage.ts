/** What model calls used and cost: the provider's figures, and marked estimates where it gave none. */
import { NO_TOKENS, usdOf, type DurableEventBody, type TokenUsage } from '@bullpen/contracts';
import { profileOfCall } from '../task/profile-of.js';
import { costOf, priceFor, promptTokensOf, type ServiceTerms } from '../task/prices.js';
import type { ParsedAnswer } from '../conversation/native-parser.js';
import type { Run } from './run.js';
import type { Recording } from './run-state.js';
import type { UsageWrite } from '../ports/store.js';
import type { ModelCallRecord } from '../task/task.js';

/** Characters a token in an estimate; the real figure for prose and code is 3 to 4. */
const CHARS_PER_TOKEN = 3.5;

/** Calls that a lost worker had started: the provider may have billed them, so they count with an estimate. */
export function writeOffStarted({ state, deps }: Pick<Run, 'state' | 'deps'>): void {
  for (const call of state.modelCalls.filter(({ status }) => status === 'started')) {
    const usage = { ...NO_TOKENS, inputTokens: tokensIn(state.historyChars) };
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
  answer: ParsedAnswer,
  end: Pick<ModelCallRecord, 'status' | 'stopReason'>,
): Recording {
  const known = answer.usage ?? NO_TOKENS;
  const estimated = !isPlausible(answer, known);
  const usage = estimated ? estimate(run, answer, known) : known;
  const write = priced(run, intent, usage, { estimated, simulated: answer.simulated }, answer.terms);
  return {
    modelCalls: [
      {
        ...intent,
        ...end,
        providerRequestId: answer.providerRequestId,
        endedAt: new Date(run.deps.now()),
        reservedNanoUsd: 0n,
      },
    ],
    usage: [write],
    releaseNanoUsd: intent.reservedNanoUsd,
    events: [usageEvent(write)],
  };
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
function estimate(run: Run, answer: ParsedAnswer, known: TokenUsage): TokenUsage {
  const sent = promptTokensOf(known) > 0 ? 0 : tokensIn(run.state.historyChars);
  const arrived =
    answer.complete && known.outputTokens > 0 ? 0 : tokensIn(JSON.stringify(answer.content).length);
  return {
    ...known,
    inputTokens: known.inputTokens + sent,
    outputTokens: Math.max(known.outputTokens, arrived),
  };
}

function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
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

function usageEvent({ modelCallId, model, usage, costNanoUsd }: UsageWrite): DurableEventBody {
  const costUsd = costNanoUsd === null ? null : usdOf(costNanoUsd);
  return { type: 'usage.recorded', data: { modelCallId, model, usage, costUsd } };
}

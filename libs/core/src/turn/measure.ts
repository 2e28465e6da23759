/** How full the window would be with a request: what decides whether it is sent as it is. */
import type { ContextSize, DurableEventBody, TokenUsage } from '@bullpen/contracts';
import { contextSize, withFigure } from '../context/size.js';
import type { ModelRequest } from '../ports/model.js';
import { promptTokensOf } from '../task/prices.js';
import type { ModelCallRecord } from '../task/task.js';
import { withBytes } from './load-media.js';
import type { Run } from './run.js';

/** An estimate within this part of a limit may be on its wrong side. */
const CLOSE = 0.05;

/** What may be billed beyond a count: the provider adds a little of its own. */
const BEYOND = { share: 1.1, tokens: 200 };

/** Measures a request. Near a limit the provider is asked for its count; when it gives none, the estimate counts, marked as such. */
export async function measure(run: Run, request: ModelRequest, signal: AbortSignal): Promise<ContextSize> {
  const size = contextSize(request, request.contextWindow, run.state.anchor);
  if (!size.isEstimate || !isClose(size)) return size;
  const count = (await run.deps.countTokens?.count(await withBytes(run, request), signal)) ?? null;
  return count === null ? size : withFigure(size, count);
}

function isClose({ tokens, threshold, budget }: ContextSize): boolean {
  return [threshold, budget].some((limit) => Math.abs(tokens - limit) <= limit * CLOSE);
}

/**
 * Some endpoints count only the conversation, without system prompt and tools. What they bill tells: then their counts decide nothing
 * any more, which is said once.
 */
export function countDoubts(
  { deps: { countTokens } }: Run,
  { profile, context }: ModelCallRecord,
  usage: TokenUsage,
): DurableEventBody[] {
  const counted = context === null || context.isEstimate ? null : context.tokens;
  const billed = promptTokensOf(usage);
  if (counted === null || billed <= counted * BEYOND.share + BEYOND.tokens) return [];
  return countTokens?.distrust(profile) === true
    ? [{ type: 'context.count_doubted', data: { profile, counted, billed } }]
    : [];
}

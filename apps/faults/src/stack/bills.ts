/** What was paid, by two witnesses that know nothing of each other: the provider's request log and the product's own books. */
import { costOf, type ModelPrice } from '@bullpen/core';
import type { RequestLogEntry } from '@bullpen/model-sim';
import type { TokenUsage } from '@bullpen/contracts';

type BookedPrice = Readonly<
  Record<Exclude<keyof ModelPrice, 'percent' | 'assumed'>, string | number> & { percent?: string | number }
>;

/** A row of the product's model calls, with its usage row when it has one. */
export interface BookedCall {
  readonly id: string;
  readonly status: 'started' | 'done' | 'failed' | 'abandoned';
  readonly requestId: string | null;
  readonly usage: TokenUsage | null;
  readonly estimated: boolean;
  readonly costNanoUsd: bigint | null;
  /** Nano-dollars a token, as the books have them. */
  readonly price: BookedPrice | null;
}

export interface Bills {
  /** Answers that were in the books already and were asked and paid for once more. */
  readonly paidTwice: readonly string[];
  /** Answers that the provider billed and that the books only guess at: lost with a worker, or cut. */
  readonly uncertain: number;
  readonly violations: readonly string[];
}

/** Compares the provider's log (all of it, in order) with the books. */
export function compareBills(log: readonly RequestLogEntry[], books: readonly BookedCall[]): Bills {
  const requests = log.filter(({ path }) => path === '/v1/messages');
  const billed = requests.filter(({ usage }) => usage !== null);
  const done = books.filter(({ status }) => status === 'done');
  const byRequest = new Map(
    done.flatMap((call) => (call.requestId === null ? [] : [[call.requestId, call]])),
  );
  const unbooked = billed.filter(({ requestId }) => !byRequest.has(requestId));
  const guesses = books.filter(({ status }) => status === 'failed' || status === 'abandoned').length;
  const violations = [
    ...done.flatMap((call) => wrongFigures(call, requests)),
    ...atMost(
      requests.length,
      books.length,
      'requests reached the provider, and only',
      'calls were announced in the books',
    ),
    ...atMost(
      unbooked.length,
      guesses,
      'billed answers are not in the books, and only',
      'calls there are written off',
    ),
  ];
  return { paidTwice: askedAgain(billed, byRequest), uncertain: unbooked.length, violations };
}

/** The same question, asked after its answer had come and been stored. Prompts are unique, so equal bodies are equal turns. */
function askedAgain(billed: readonly RequestLogEntry[], stored: ReadonlyMap<string, BookedCall>): string[] {
  const answeredAt = new Map<string, number>();
  const found: string[] = [];
  for (const entry of billed) {
    if (entry.bodySha256 === null || !stored.has(entry.requestId)) continue;
    if (answeredAt.has(entry.bodySha256)) found.push(`${entry.requestId}: stored twice`);
    answeredAt.set(entry.bodySha256, Date.parse(entry.time) + entry.durationMs);
  }
  for (const entry of billed) {
    const at = entry.bodySha256 === null ? undefined : answeredAt.get(entry.bodySha256);
    if (at === undefined || stored.has(entry.requestId) || Date.parse(entry.time) <= at) continue;
    found.push(`${entry.requestId}: turn ${entry.turnIndex} was asked for again after its answer was stored`);
  }
  return found;
}

function wrongFigures(call: BookedCall, requests: readonly RequestLogEntry[]): string[] {
  const entry = requests.find(({ requestId }) => requestId === call.requestId);
  if (entry === undefined)
    return [`model call ${call.id} is answered, and the provider knows of no request ${call.requestId}`];
  if (call.usage === null) return [`model call ${call.id} is answered and has no usage`];
  const { usage } = call;
  if (call.price !== null && call.costNanoUsd !== costAt(call.price, usage))
    return [
      `model call ${call.id} cost ${call.costNanoUsd}, and its usage at its price is ${costAt(call.price, usage)}`,
    ];
  if (call.estimated) return [];
  const theirs = entry.usage;
  const same =
    theirs !== null &&
    theirs.input_tokens === usage.inputTokens &&
    theirs.output_tokens === usage.outputTokens &&
    theirs.cache_read_input_tokens === usage.cacheReadTokens &&
    theirs.cache_creation_input_tokens === usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
  return same
    ? []
    : [`model call ${call.id} books ${JSON.stringify(usage)}, and was billed ${JSON.stringify(theirs)}`];
}

function costAt(price: BookedPrice, usage: TokenUsage): bigint {
  const { inputNanoUsd, outputNanoUsd, cacheReadNanoUsd, cacheWrite5mNanoUsd, cacheWrite1hNanoUsd } = price;
  return costOf(usage, {
    inputNanoUsd: BigInt(inputNanoUsd),
    outputNanoUsd: BigInt(outputNanoUsd),
    cacheReadNanoUsd: BigInt(cacheReadNanoUsd),
    cacheWrite5mNanoUsd: BigInt(cacheWrite5mNanoUsd),
    cacheWrite1hNanoUsd: BigInt(cacheWrite1hNanoUsd),
    percent: BigInt(price.percent ?? 100),
  });
}

function atMost(count: number, limit: number, one: string, other: string): string[] {
  return count <= limit ? [] : [`${count} ${one} ${limit} ${other}`];
}

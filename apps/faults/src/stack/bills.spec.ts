/** The bill check is only worth something if it notices each way of paying wrongly. */
import { describe, expect, it } from '@jest/globals';
import type { RequestLogEntry } from '@bullpen/model-sim';
import { compareBills, type BookedCall } from './bills.js';

const USAGE = {
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 5,
  cacheWrite5mTokens: 3,
  cacheWrite1hTokens: 0,
};
const PRICE = {
  inputNanoUsd: '2000',
  outputNanoUsd: '10000',
  cacheReadNanoUsd: '100',
  cacheWrite5mNanoUsd: '2500',
  cacheWrite1hNanoUsd: '4000',
};

function aRequest(
  requestId: string,
  body: string,
  atMs: number,
  more: Partial<RequestLogEntry> = {},
): RequestLogEntry {
  return {
    seq: 1,
    time: new Date(atMs).toISOString(),
    durationMs: 100,
    requestId,
    method: 'POST',
    path: '/v1/messages',
    status: 200,
    outcome: 'completed',
    bodySha256: body,
    model: 'claude-sonnet-5-5',
    agent: 'general',
    turnIndex: 0,
    stream: true,
    messageId: null,
    stopReason: 'end_turn',
    fault: null,
    usage: {
      input_tokens: 100,
      output_tokens: 10,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 3,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 0 },
      service_tier: 'standard',
    },
    error: null,
    ...more,
  };
}

function aCall(requestId: string | null, more: Partial<BookedCall> = {}): BookedCall {
  return {
    id: `mcall_${requestId}`,
    status: 'done',
    requestId,
    usage: USAGE,
    estimated: false,
    costNanoUsd: 308_000n,
    price: PRICE,
    ...more,
  };
}

describe('the comparison of bills', () => {
  it('is content when each billed answer is in the books with its figures', () => {
    const bills = compareBills([aRequest('a', 'x', 0), aRequest('b', 'y', 500)], [aCall('a'), aCall('b')]);
    expect(bills).toEqual({ paidTwice: [], uncertain: 0, violations: [] });
  });

  it('counts an answer that was lost with its worker as uncertain, when its call is written off', () => {
    const lost = aCall(null, { status: 'abandoned', estimated: true });
    const bills = compareBills([aRequest('a', 'x', 0), aRequest('b', 'x', 5_000)], [lost, aCall('b')]);
    expect(bills).toEqual({ paidTwice: [], uncertain: 1, violations: [] });
  });

  it('notices a stored answer that is asked for again', () => {
    const again = aCall(null, { status: 'abandoned', estimated: true });
    const bills = compareBills([aRequest('a', 'x', 0), aRequest('b', 'x', 5_000)], [aCall('a'), again]);
    expect(bills.paidTwice).toHaveLength(1);
  });

  it('notices two stored answers to one question', () => {
    const bills = compareBills([aRequest('a', 'x', 0), aRequest('b', 'x', 50)], [aCall('a'), aCall('b')]);
    expect(bills.paidTwice).toHaveLength(1);
  });

  it('notices a request that no intent announced, and a bill that nobody wrote off', () => {
    const { violations } = compareBills([aRequest('a', 'x', 0), aRequest('b', 'y', 0)], [aCall('a')]);
    expect(violations).toHaveLength(2);
  });

  it.each([
    ['other tokens than were billed', { usage: { ...USAGE, outputTokens: 11 }, costNanoUsd: 318_000n }],
    ['another cost than its usage has', { costNanoUsd: 308_001n }],
    ['no usage', { usage: null }],
    ['a request that the provider never had', { requestId: 'other' }],
  ])('notices a booked call with %s', (_what, more) => {
    expect(compareBills([aRequest('a', 'x', 0)], [aCall('a', more)]).violations.length).toBeGreaterThan(0);
  });
});

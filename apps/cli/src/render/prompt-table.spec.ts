import { describe, expect, it } from '@jest/globals';
import type { ModelCallView } from '@bullpen/contracts';
import { aContext } from '@bullpen/testing';
import pc from 'picocolors';
import { promptTable } from './prompt-table.js';

const call: ModelCallView = {
  ...{ id: 'mcall_1', turn: 3, attempt: 1, phase: 'work', profile: 'main', model: 'claude-sonnet-5-5' },
  ...{ status: 'done', requestHash: 'h', requestMessages: 5, context: aContext() },
  usage: {
    ...{ inputTokens: 100, outputTokens: 250, cacheReadTokens: 9_500 },
    ...{ cacheWrite5mTokens: 400, cacheWrite1hTokens: 0 },
  },
  ...{ costUsd: '0.01', firstByteMs: 640, firstTextMs: 910, durationMs: 4_000, providerRequestId: 'req_1' },
  ...{ stopReason: 'tool_use', errorClass: null, errorMessage: null, retryDelayMs: null },
  ...{ startedAt: '2026-01-01T00:00:00Z', endedAt: '2026-01-01T00:00:04Z' },
};

describe('the prompt log', () => {
  it('says of each call how much was sent, read from the cache and answered, how long it took, and its request id', () => {
    const failed: ModelCallView = {
      ...call,
      ...{ attempt: 2, status: 'failed', errorClass: 'overload', usage: null, context: null },
      ...{ firstByteMs: null, firstTextMs: null, providerRequestId: null },
    };
    const lines = promptTable([call, failed], { width: 200, colors: pc.createColors(false) })
      .split('\n')
      .map((line) => line.trim().replace(/ {2,}/g, ' | '));
    expect(lines).toEqual([
      'TURN | STATUS | PROFILE | PROMPT | CACHED | ANSWER | FULL | BYTE | TEXT | WHOLE | REQUEST',
      '3 | done | main | 10.0k | 95 % | 250 | 80 % | 640 ms | 910 ms | 4.0 s | req_1',
      '3.2 | overload | main | 4.0 s',
    ]);
  });
});

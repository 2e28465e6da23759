/** Limits that a scenario sets: requests and tokens a minute, and the window. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { parseJsonScenario } from './json-scenario.js';
import type { ScenarioLimits } from './rate-limits.js';
import { startModelSim, type ModelSim } from './start-model-sim.js';
import { aRequest, aUser, errorOf, post } from './testing/api-client.js';

let sim: ModelSim;
let now: number;
afterEach(() => sim.close());

async function start(limits: ScenarioLimits | undefined, text = 'Hello.'): Promise<void> {
  now = Date.parse('2026-11-29T12:00:00Z');
  const scenario = parseJsonScenario(
    { name: 'limits', agents: {}, default: { replies: [{ text }] }, limits },
    'limits',
  );
  sim = await startModelSim({ speed: 'max', now: () => now, scenarios: [scenario] });
}

const CHARS_PER_TOKEN = 3.5;
const ofTokens = (tokens: number) => 'x'.repeat(Math.floor((tokens - 3) * CHARS_PER_TOKEN));
const send = (tokens = 10, more = {}) =>
  post(sim, aRequest({ messages: [aUser(ofTokens(tokens))], max_tokens: 1_000, ...more }));

describe('limits a minute', () => {
  it('refuse the request after the last one that fits, and say when the next one does', async () => {
    await start({ requestsPerMinute: 2 });
    const first = await send();
    expect(first.headers.get('anthropic-ratelimit-requests-limit')).toBe('2');
    expect(first.headers.get('anthropic-ratelimit-requests-remaining')).toBe('1');
    now += 20_000;
    expect((await send()).status).toBe(200);
    const refused = await send();
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe('0');
    expect(await errorOf(refused)).toEqual({
      status: 429,
      type: 'rate_limit_error',
      message: expect.stringContaining('rate limit of 2 requests per minute') as unknown,
    });
    now += 40_000;
    expect((await send()).status).toBe(200);
  });

  it('count what goes in, also what does not fit any more before it is answered', async () => {
    await start({ inputTokensPerMinute: 1_000 });
    expect((await send(600)).status).toBe(200);
    const refused = await errorOf(await send(600));
    expect(refused).toMatchObject({
      status: 429,
      message: expect.stringContaining('1,000 input tokens') as unknown,
    });
    expect((await send(300)).status).toBe(200);
  });

  it('do not count what is read from the cache', async () => {
    await start({ inputTokensPerMinute: 4_000 });
    const cached = { cache_control: { type: 'ephemeral' } };
    for (const _ of Array.from({ length: 5 })) expect((await send(3_000, cached)).status).toBe(200);
  });

  it('count what comes out', async () => {
    await start({ outputTokensPerMinute: 500 }, ofTokens(400));
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([200, 200, 429]);
  });

  it('are only told where no scenario sets any', async () => {
    await start(undefined);
    for (const _ of Array.from({ length: 5 })) expect((await send(10)).status).toBe(200);
    expect((await send()).headers.get('anthropic-ratelimit-requests-remaining')).toBe('3994');
  });
});

describe('a window', () => {
  it('refuses a prompt that is longer, in the words of the API and without a bill', async () => {
    await start({ window: 2_000 });
    expect((await send(1_900)).status).toBe(200);
    expect(await errorOf(await send(2_100))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      message: 'prompt is too long: 2100 tokens > 2000 maximum',
    });
    expect(sim.requests().map(({ outcome, usage }) => [outcome, usage !== null])).toEqual([
      ['completed', true],
      ['refused', false],
    ]);
  });

  it('ends an answer that fills it up', async () => {
    await start({ window: 2_000 }, ofTokens(500));
    const answer = (await (await send(1_900)).json()) as {
      stop_reason: string;
      usage: { output_tokens: number };
    };
    expect(answer.stop_reason).toBe('model_context_window_exceeded');
    expect(answer.usage.output_tokens).toBeLessThanOrEqual(100);
  });

  it('must have room for the whole answer with an old model', async () => {
    await start({ window: 2_000 });
    const refused = await errorOf(await send(1_500, { model: 'claude-3-5-haiku-20241022' }));
    expect(refused.message).toContain(
      'input length and `max_tokens` exceed context limit: 1500 + 1000 > 2000',
    );
  });

  it('is that of the model where no scenario sets one', async () => {
    await start(undefined);
    expect((await send(210_000)).status).toBe(200);
    const refused = await errorOf(await send(210_000, { model: 'claude-haiku-4-5' }));
    expect(refused.message).toBe('prompt is too long: 210000 tokens > 200000 maximum');
  });
});

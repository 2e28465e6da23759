/** What a long conversation reads from the provider's cache, as the simulator keeps it: each call what the one before it wrote. */
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ContentBlock, TokenUsage } from '@bullpen/contracts';
import { builtInProfile, type ModelRequest, type RequestMessage } from '@bullpen/core';
import { startModelSim, type ModelSim } from '@bullpen/model-sim';
import { AnthropicModel } from './anthropic-model.js';

const TOOLS = Array.from({ length: 12 }, (_, index) => ({
  name: `tool_${index}`,
  description: 'Reads something of the project and gives it back as text. '.repeat(6),
  inputSchema: { type: 'object' as const },
}));

let clock = 0;
let sim: ModelSim | undefined;
beforeEach(async () => {
  await sim?.close();
  clock = 1_000_000;
  sim = await startModelSim({ speed: 'max', now: () => clock });
});
afterAll(() => sim?.close());

/** A new one knows nothing of what others have sent, as after a crash on another machine. */
const newModel = (): AnthropicModel => new AnthropicModel({ apiKey: 'any', baseURL: sim?.url ?? '' });

async function usageOf(model: AnthropicModel, messages: readonly RequestMessage[]): Promise<TokenUsage> {
  const request: ModelRequest = {
    ...builtInProfile('claude-sonnet-5-5'),
    ...{ tools: TOOLS, toolChoice: { type: 'auto' }, system: 'You are careful. '.repeat(200), messages },
  };
  let usage: TokenUsage | undefined;
  for await (const chunk of model.stream(request, new AbortController().signal, () => true)) {
    if (chunk.type === 'error') throw new Error(chunk.error.message);
    if (chunk.type === 'usage') usage = chunk.usage;
  }
  if (usage === undefined) throw new Error('no usage');
  return usage;
}

/** A turn with so many parallel reads: the calls of the answer, and their results. */
function turn(n: number, reads: number, chars = 600): readonly RequestMessage[] {
  const ids = Array.from({ length: reads }, (_, index) => `toolu_${n}_${index}`);
  const calls: ContentBlock[] = ids.map((id) => ({ type: 'tool_use', id, name: 'tool_1', input: { id } }));
  const results: ContentBlock[] = ids.map((id) => ({
    ...{ type: 'tool_result', tool_use_id: id },
    content: `${id} ${'line '.repeat(chars / 5)}`,
  }));
  return [
    { role: 'assistant', content: [{ type: 'text', text: `Turn ${n}.` }, ...calls] },
    { role: 'user', content: results },
  ];
}

/** Runs a conversation of these turns; `crashAfter` one of them, another worker goes on. */
async function converse(reads: readonly number[], crashAfter = -1): Promise<readonly TokenUsage[]> {
  const messages: RequestMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Survey it.' }] }];
  const usages: TokenUsage[] = [];
  let model = newModel();
  for (const [n, count] of reads.entries()) {
    usages.push(await usageOf(model, messages));
    messages.push(...turn(n, count));
    clock += 14_000;
    if (n === crashAfter) model = newModel();
  }
  return usages;
}

const promptOf = (usage: TokenUsage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens;
const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe('a conversation of fifty turns', () => {
  it.each([
    ['without a break', -1],
    ['that another worker takes over in the middle', 25],
  ])('%s reads over 90 percent of its input from the cache', async (_, crashAfter) => {
    const usages = await converse(
      Array.from({ length: 50 }, (_none, n) => 1 + (n % 3)),
      crashAfter,
    );
    const share = sum(usages.map((usage) => usage.cacheReadTokens)) / sum(usages.map(promptOf));
    expect(share).toBeGreaterThan(0.9);
  });

  it.each([
    ['twelve parallel reads in each answer', 12],
    ['thirty of them', 30],
    ['one call a turn', 1],
  ])('reads all that the call before it wrote or read, with %s', async (_, count) => {
    const usages = await converse(Array.from({ length: 12 }, () => count));
    const written = usages.map((usage) => usage.cacheReadTokens + usage.cacheWrite5mTokens);
    expect(usages.slice(1).map((usage) => usage.cacheReadTokens)).toEqual(written.slice(0, -1));
  });

  it('never has more than four marks, and the last of them at its end', async () => {
    const bodies: { messages: { content: unknown[] }[] }[] = [];
    const spying = new AnthropicModel({
      apiKey: 'any',
      baseURL: 'http://localhost',
      fetch: (_url, init) => {
        bodies.push(JSON.parse(String(init?.body)));
        return Promise.reject(new Error('not sent'));
      },
    });
    const messages: RequestMessage[] = [{ role: 'user', content: [{ type: 'text', text: 'Survey it.' }] }];
    for (let n = 0; n < 60; n += 1) {
      await usageOf(spying, messages).catch(() => undefined);
      messages.push(...turn(n, 1 + (n % 14)));
    }
    const marks = bodies.map((body) => JSON.stringify(body).split('"cache_control"').length - 1);
    expect(Math.max(...marks)).toBe(4);
    for (const body of bodies)
      expect(body.messages.at(-1)?.content.at(-1)).toMatchObject({ cache_control: { type: 'ephemeral' } });
  });
});

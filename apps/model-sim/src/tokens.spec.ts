/** What the simulator counts: by its own rule, or by a tokenizer that it is given. */
import { countTokens } from '@anthropic-ai/tokenizer';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startModelSim, type ModelSim } from './start-model-sim.js';
import { aRequest, aUser, post } from './testing/api-client.js';

const sims: ModelSim[] = [];
afterAll(() => Promise.all(sims.map((sim) => sim.close())));

const KOREAN = '결제 서비스의 주문 취소 로직을 고쳐 주세요. '.repeat(20);

async function counts(tokensOf?: (text: string) => number): Promise<readonly number[]> {
  const sim = await startModelSim({ speed: 'max', tokensOf });
  sims.push(sim);
  const body = aRequest({ messages: [aUser(KOREAN)] });
  const { max_tokens: _, ...counted } = body;
  const count = await (await post(sim, counted, { path: '/v1/messages/count_tokens' })).json();
  const { usage } = (await (await post(sim, body)).json()) as { usage: { input_tokens: number } };
  return [(count as { input_tokens: number }).input_tokens, usage.input_tokens];
}

describe('the counts of the simulator', () => {
  it('are of characters, which is too little for Korean', async () => {
    const expected = Math.ceil(KOREAN.length / 3.5) + 3;
    expect(await counts()).toEqual([expected, expected]);
  });

  it('are those of a tokenizer that it is given, also in what it bills', async () => {
    const expected = countTokens(KOREAN) + 3;
    expect(await counts(countTokens)).toEqual([expected, expected]);
    expect(expected).toBeGreaterThan(2 * (KOREAN.length / 3.5));
  });
});

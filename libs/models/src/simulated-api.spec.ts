/** The simulator, seen by the provider's own client: the list of models, and answers that fit a schema. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Anthropic } from '@anthropic-ai/sdk';
import { startModelSim, type ModelSim } from '@bullpen/model-sim';

let sim: ModelSim;
let client: Anthropic;
beforeAll(async () => {
  sim = await startModelSim({ speed: 'max' });
  client = new Anthropic({ baseURL: sim.url, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => sim.close());

describe("the provider's client", () => {
  it('lists all models, page by page, and finds one', async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list({ limit: 3 })) ids.push(id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('claude-sonnet-5-5');
    expect(await client.models.retrieve('claude-sonnet-5-5')).toMatchObject({
      line: 'sonnet',
      max_tokens: 128_000,
    });
    await expect(client.models.retrieve('none')).rejects.toThrow(Anthropic.NotFoundError);
  });

  it('parses an answer that was asked for in a format', async () => {
    const { parsed_output: parsed } = await client.messages.parse({
      model: 'claude-sonnet-5-5',
      max_tokens: 1_000,
      messages: [{ role: 'user', content: 'Which city?' }],
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            additionalProperties: false,
            required: ['city'],
            properties: { city: { type: 'string' } },
          },
          parse: (text: string) => JSON.parse(text) as { city: string },
        },
      },
    });
    expect(parsed).toEqual({ city: 'simulated' });
  });
});

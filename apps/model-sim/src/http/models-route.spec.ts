import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startModelSim, type ModelSim } from '../start-model-sim.js';
import { errorOf } from '../testing/api-client.js';

let sim: ModelSim;
beforeAll(async () => {
  sim = await startModelSim({ speed: 'max' });
});
afterAll(() => sim.close());

const HEADERS = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
const get = (path: string, headers: Record<string, string> = HEADERS): Promise<Response> =>
  fetch(sim.url + path, { headers });
interface Page {
  data: { id: string }[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}
const page = async (query: string): Promise<Page> =>
  (await get(`/v1/models?${query}`)).json() as Promise<Page>;
const ids = ({ data }: Page): string[] => data.map(({ id }) => id);

describe('GET /v1/models', () => {
  it('lists the models, newest first, in the form of the API', async () => {
    const response = await get('/v1/models');
    const all = (await response.json()) as Page;
    expect(response.headers.get('x-simulated')).toBe('bullpen-model-sim');
    expect(ids(all)).toEqual(expect.arrayContaining(['claude-sonnet-5-5', 'claude-haiku-4-5']));
    expect(all).toMatchObject({ first_id: ids(all)[0], last_id: ids(all).at(-1), has_more: false });
    expect(all.data.find(({ id }) => id === 'claude-opus-4-8')).toEqual({
      type: 'model',
      id: 'claude-opus-4-8',
      display_name: 'Claude Opus 4.8 (simulated)',
      created_at: '1970-01-01T00:00:00Z',
      lifecycle: 'active',
      line: 'opus',
      max_input_tokens: 1_000_000,
      max_tokens: 128_000,
      capabilities: null,
      deprecated_at: null,
      retires_at: null,
    });
  });

  it('pages in both directions', async () => {
    const all = ids(await page('limit=1000'));
    const walked: string[] = [];
    for (let last: Page | null = null; last === null || last.has_more;) {
      last = await page(`limit=5${last === null ? '' : `&after_id=${last.last_id}`}`);
      walked.push(...ids(last));
    }
    expect(walked).toEqual(all);
    expect(await page(`limit=2&before_id=${all[3]}`)).toMatchObject({
      data: [{ id: all[1] }, { id: all[2] }],
      has_more: true,
    });
    expect(await page(`before_id=${all[0]}`)).toEqual({
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it('gives one by its id, also with a date, and 404 for what it does not answer for', async () => {
    const one = (await (await get('/v1/models/claude-sonnet-5-5-20261007')).json()) as { id: string };
    expect(one.id).toBe('claude-sonnet-5-5');
    expect(await errorOf(await get('/v1/models/gpt-7'))).toEqual({
      status: 404,
      type: 'not_found_error',
      message: 'model: gpt-7',
    });
  });

  it('refuses what the API refuses', async () => {
    for (const query of [
      'limit=0',
      'limit=x',
      'limit=1001',
      'after_id=none',
      'after_id=claude-opus-5&before_id=claude-opus-5',
    ])
      expect([query, (await get(`/v1/models?${query}`)).status]).toEqual([query, 400]);
    expect(await errorOf(await get('/v1/models', {}))).toMatchObject({
      status: 401,
      type: 'authentication_error',
    });
    expect((await get('/v1/models/claude-opus-5', { 'x-api-key': 'any' })).status).toBe(400);
  });
});

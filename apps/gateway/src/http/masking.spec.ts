import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Masker } from '@bullpen/core';
import { createLogger } from '@bullpen/platform';
import { openStream } from '../testing/sse.js';
import { appendEvent, problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

const VALUE = 'Tr0ub4dor-"Kx9"é';
const MASK = '[secret DB]';
const FORMS = [VALUE, JSON.stringify(VALUE).slice(1, -1), encodeURIComponent(VALUE)];

describe('answers of a gateway that knows a secret value', () => {
  let bullpen: TestGateway;
  let id: string;
  const lines: string[] = [];

  beforeAll(async () => {
    const masker = new Masker([{ name: 'DB', value: VALUE }]);
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ name: 'test', level: 'trace', destination, masker });
    bullpen = await startTestGateway({ masker, logger });
    const created = await bullpen.post('/v1/tasks', {
      prompt: `Log in with ${VALUE}.`,
      title: `Use ${VALUE}`,
      metadata: { [VALUE]: VALUE },
      tags: [`t-${VALUE}`.slice(0, 40)],
    });
    const text = await created.text();
    expectClean(text);
    expect(created.status).toBe(201);
    ({ id } = JSON.parse(text) as { id: string });
  });
  afterAll(() => bullpen.close());

  function expectClean(text: string): void {
    for (const form of FORMS) expect(text).not.toContain(form);
  }

  it.each([
    ['the task', (task: string) => `/v1/tasks/${task}`],
    ['the list', () => '/v1/tasks'],
    ['a search for it', () => `/v1/tasks?q=${encodeURIComponent(VALUE)}`],
    ['its events', (task: string) => `/v1/tasks/${task}/events`],
    ['what people saw', (task: string) => `/v1/tasks/${task}/history/ui`],
    ['what the model is sent', (task: string) => `/v1/tasks/${task}/history/api`],
    ['a page that is not there', () => `/v1/nothing/${encodeURIComponent(VALUE)}`],
    [
      'a parameter that is none',
      () => `/v1/tasks?${encodeURIComponent(VALUE)}=1&limit=${encodeURIComponent(VALUE)}`,
    ],
    ['an id that is none', () => `/v1/tasks/${encodeURIComponent(VALUE)}`],
  ])('hold the mask in its place: %s', async (_, path) => {
    const text = await (await bullpen.call(path(id))).text();
    expectClean(text);
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('hold it in the words of people and of models, which are stored as they are', async () => {
    const api = await (await bullpen.call(`/v1/tasks/${id}/history/api`)).text();
    expect(api).toContain(`Log in with ${MASK}.`);
    const { rows } = await bullpen.pool.query<{ prompt: string }>('SELECT prompt FROM tasks WHERE id = $1', [
      id,
    ]);
    expect(rows[0]?.prompt).toBe(`Log in with ${VALUE}.`);
  });

  it('hold it in problems', async () => {
    const workspace = { kind: 'path', path: `/nowhere/${VALUE}` };
    const problem = await problemFrom(await bullpen.post('/v1/tasks', { prompt: 'x', workspace }));
    expect(problem.detail).toContain(MASK);
    expectClean(JSON.stringify(problem));
  });

  it('hold it in streams', async () => {
    const stream = openStream(`${bullpen.url}/v1/tasks/${id}/stream`, {
      authorization: `Bearer ${bullpen.key}`,
    });
    await appendEvent(bullpen, id, { type: 'error', data: { code: 'x', message: `no ${VALUE}` } });
    const seen = JSON.stringify(await stream.take(3));
    expect(seen).toContain(`no ${MASK}`);
    expectClean(seen);
    stream.close();
  });

  it('are not taken back with the mask in the place of the value', async () => {
    const sent = [
      bullpen.post('/v1/webhooks', { url: `https://example.com/${MASK}` }),
      bullpen.post('/v1/interactions/ask_01m8j62749f6c8zyedgf94pjn4/answer', {
        answer: { decision: 'approve', arguments: { command: `login ${MASK}` } },
      }),
    ];
    for (const response of await Promise.all(sent))
      expect(await problemFrom(response)).toMatchObject({
        status: 400,
        code: 'invalid_request',
        detail: expect.stringContaining(MASK),
      });
    expect((await bullpen.post('/v1/tasks', { prompt: `What is ${MASK}?` })).status).toBe(201);
  });

  it('are logged without it', () => {
    expect(lines.length).toBeGreaterThan(0);
    expectClean(lines.join(''));
  });
});

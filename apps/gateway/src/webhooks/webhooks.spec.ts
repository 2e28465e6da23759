/** Webhooks over HTTP: made, shown without their secrets, changed, tried, and nobody else's. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient, type BullpenClient } from '@bullpen/client';
import { CreatedWebhook, WebhookEventType, WebhookList } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
beforeAll(async () => {
  // No name has to be resolved: the addresses of this network are literal.
  bullpen = await startTestGateway({ env: { WEBHOOK_ALLOW_PRIVATE: '203.0.113.0/24' } });
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
});
afterAll(() => bullpen?.close());

let addresses = 0;
const anAddress = () => `https://203.0.113.7/${(addresses += 1)}`;
const send = (method: string, path: string, body?: unknown, key?: string) =>
  bullpen.call(path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
    ...(key !== undefined && { key }),
  });

describe('webhooks', () => {
  it('are made with a secret that is shown once and kept out of every other answer', async () => {
    const url = anAddress();
    const answer = await bullpen.post('/v1/webhooks', { url }, { 'idempotency-key': 'k' });
    const made = CreatedWebhook.parse(await answer.json());
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `/v1/webhooks/${made.id}`]);
    expect(made).toMatchObject({ url, events: WebhookEventType.options, subtasks: false, disabledAt: null });
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const rest = [
      await (await bullpen.call('/v1/webhooks')).text(),
      await (await bullpen.call(`/v1/webhooks/${made.id}`)).text(),
      await (await send('PATCH', `/v1/webhooks/${made.id}`, { description: 'mine' })).text(),
      await (await bullpen.post(`/v1/webhooks/${made.id}/test`)).text(),
      JSON.stringify(await bullpen.prisma.idempotencyKey.findMany()),
    ].join();
    expect(rest).toContain('"description":"mine"');
    expect(rest).not.toContain('whsec_');

    // A repeated request, whose first answer was lost, makes no second one.
    const again = await bullpen.post('/v1/webhooks', { url }, { 'idempotency-key': 'k' });
    expect(await problemFrom(again)).toMatchObject({ status: 409, code: 'already_exists' });
    const rotated = await client.webhooks.rotateSecret(made.id);
    expect(rotated.secret).not.toBe(made.secret);
    expect(Date.parse(rotated.previousUntil)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  });

  it.each([
    ...[
      'http://127.0.0.1/',
      'http://localhost:9/',
      'http://[::1]/',
      'http://169.254.169.254/latest',
      'http://10.1.2.3/',
    ],
    ...[
      'http://2130706433/',
      'ftp://203.0.113.7/',
      'https://user:pass@203.0.113.7/',
      'https://203.0.113.7/#x',
      'nonsense',
    ],
    'https://nowhere.invalid/',
  ])('are refused for the address %s, also as a change', async (url) => {
    const problem = await problemFrom(await bullpen.post('/v1/webhooks', { url }));
    expect(problem).toMatchObject({ status: 400, errors: [{ pointer: '/url' }] });
    const { id } = await client.webhooks.create({ url: anAddress() });
    expect((await send('PATCH', `/v1/webhooks/${id}`, { url })).status).toBe(400);
  });

  it.each([
    { events: [] },
    { events: ['task.exploded'] },
    { subtasks: 'yes' },
    { secret: 'whsec_mine' },
    { enabled: true },
  ])('refuse %j', async (over) => {
    const problem = await problemFrom(await bullpen.post('/v1/webhooks', { url: anAddress(), ...over }));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  it('are tried, logged page by page, and replayed, through the client', async () => {
    const { id } = await client.webhooks.create({ url: anAddress(), events: ['task.failed'] });
    expect(await client.webhooks.update(id, { events: ['task.waiting'], subtasks: true })).toMatchObject({
      ...{ events: ['task.waiting'], subtasks: true },
    });
    const [first, second] = [await client.webhooks.test(id), await client.webhooks.test(id)];
    expect(first).toMatchObject({ webhookId: id, type: 'ping', state: 'pending', attempts: 0, log: [] });
    expect(JSON.parse(first.payload)).toMatchObject({ type: 'ping', data: { webhookId: id } });
    const page = await client.webhooks.deliveries(id, { limit: 1 });
    expect([page.data[0]?.id, page.hasMore]).toEqual([second.id, true]);
    const next = await client.webhooks.deliveries(id, {
      limit: 1,
      ...(page.nextCursor && { after: page.nextCursor }),
    });
    expect([next.data.map((row) => row.id), next.hasMore]).toEqual([[first.id], false]);
    expect((await client.webhooks.deliveries(id, { state: 'failed' })).data).toEqual([]);
    await bullpen.pool.query(
      `UPDATE webhook_deliveries SET state = 'failed', ended_at = now() WHERE id = $1`,
      [first.id],
    );
    expect((await client.webhooks.deliveries(id, { state: 'failed' })).data).toMatchObject([
      { id: first.id },
    ]);
    expect(await client.webhooks.replay(first.id)).toMatchObject({
      id: first.id,
      state: 'pending',
      endedAt: null,
    });
    expect(await client.webhooks.delivery(first.id)).toMatchObject({ state: 'pending' });
    expect((await bullpen.call(`/v1/webhooks/${id}/deliveries?after=x`)).status).toBe(400);
  });

  it('that are disabled send nothing, and say so', async () => {
    const { id } = await client.webhooks.create({ url: anAddress() });
    const ping = await client.webhooks.test(id);
    await client.webhooks.update(id, { enabled: false });
    expect(await client.webhooks.get(id)).toMatchObject({ disabledReason: 'disabled by a person' });
    for (const path of [`${id}/test`, `deliveries/${ping.id}/replay`])
      expect(await problemFrom(await bullpen.post(`/v1/webhooks/${path}`))).toMatchObject({
        ...{ status: 409, code: 'webhook_disabled' },
      });
    await client.webhooks.update(id, { enabled: true });
    expect((await client.webhooks.replay(ping.id)).state).toBe('pending');
    await client.webhooks.delete(id);
    expect((await client.webhooks.list()).some((webhook) => webhook.id === id)).toBe(false);
    expect((await send('DELETE', `/v1/webhooks/${id}`)).status).toBe(404);
  });

  it('of another tenant, and ids that are none, are not found', async () => {
    const { id } = await client.webhooks.create({ url: anAddress() });
    const ping = await client.webhooks.test(id);
    const { otherKey: key } = bullpen;
    const mine = WebhookList.parse(await (await bullpen.call('/v1/webhooks', { key })).json());
    expect(mine.data).toEqual([]);
    const routes = (webhook: string, delivery: string): [string, string, unknown?][] => [
      ['GET', webhook],
      ['PATCH', webhook, { subtasks: true }],
      ['DELETE', webhook],
      ['POST', `${webhook}/test`],
      ['POST', `${webhook}/rotate-secret`],
      ['GET', `${webhook}/deliveries`],
      ['GET', `deliveries/${delivery}`],
      ['POST', `deliveries/${delivery}/replay`],
    ];
    for (const [method, path, body] of routes(id, ping.id))
      expect([path, (await send(method, `/v1/webhooks/${path}`, body, key)).status]).toEqual([path, 404]);
    for (const odd of [newId('webhook'), newId('task'), 'x', '%00', "' or 1=1"].map(encodeURIComponent))
      for (const [method, path, body] of routes(odd, odd))
        expect([path, (await send(method, `/v1/webhooks/${path}`, body)).status]).toEqual([path, 404]);
    expect((await client.webhooks.get(id)).id).toBe(id);
  });

  it('are changed only by keys that may write', async () => {
    const key = await bullpen.newKey({ scopes: ['read'] });
    const { id } = await client.webhooks.create({ url: anAddress() });
    expect((await bullpen.call('/v1/webhooks', { key })).status).toBe(200);
    for (const [method, path] of [
      ['POST', ''],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate-secret`],
    ])
      expect((await send(method ?? '', `/v1/webhooks${path}`, undefined, key)).status).toBe(403);
  });
});

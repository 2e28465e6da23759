/** Tenants over HTTP: made, weighed, limited, and given keys. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TenantKey, TenantList, TenantView } from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const patch = (id: string, body: unknown, key?: string) =>
  bullpen.call(`/v1/tenants/${id}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
    ...(key !== undefined && { key }),
  });
const list = async () => TenantList.parse(await (await bullpen.call('/v1/tenants')).json()).data;

describe('tenants', () => {
  it('are made once, changed and listed', async () => {
    const made = await bullpen.post('/v1/tenants', { id: 'acme', weight: 3 });
    expect(made.status).toBe(201);
    expect(TenantView.parse(await made.json())).toMatchObject({
      id: 'acme',
      name: 'acme',
      weight: 3,
      maxRunning: null,
      running: 0,
      queued: 0,
    });
    expect(await problemFrom(await bullpen.post('/v1/tenants', { id: 'acme' }))).toMatchObject({
      status: 409,
      code: 'already_exists',
    });
    expect(TenantView.parse(await (await patch('acme', { maxRunning: 2 })).json())).toMatchObject({
      weight: 3,
      maxRunning: 2,
    });
    await patch('acme', { maxRunning: null, name: 'Acme Inc' });
    expect(await list()).toContainEqual(
      expect.objectContaining({ id: 'acme', name: 'Acme Inc', weight: 3, maxRunning: null }),
    );
  });

  it('work with a key of their own, which sees nothing of others and manages nobody', async () => {
    await bullpen.post('/v1/tenants', { id: 'keyed' });
    const answer = await bullpen.post('/v1/tenants/keyed/keys');
    expect(answer.status).toBe(201);
    const { key, scopes } = TenantKey.parse(await answer.json());
    expect(scopes).toEqual(['read', 'write']);
    const headers = { authorization: `Bearer ${key}` };
    expect((await bullpen.post('/v1/tasks', { prompt: 'Mine' }, headers)).status).toBe(201);
    const mine = (await (await bullpen.call('/v1/tasks', { key })).json()) as { data: unknown[] };
    expect(mine.data).toHaveLength(1);
    expect((await list()).find(({ id }) => id === 'keyed')).toMatchObject({ queued: 1 });
    for (const response of [
      await bullpen.call('/v1/tenants', { key }),
      await bullpen.post('/v1/tenants', { id: 'x' }, headers),
      await bullpen.post('/v1/tenants/keyed/keys', {}, headers),
      await patch('keyed', { weight: 1000 }, key),
    ])
      expect(await problemFrom(response)).toMatchObject({ status: 403, code: 'forbidden' });
  });

  it.each([{ weight: 0 }, { weight: 1001 }, { weight: 1.5 }, { maxRunning: 0 }, { name: ' ' }, { wait: 1 }])(
    'refuse %j',
    async (body) => {
      expect(await problemFrom(await patch('default', body))).toMatchObject({ code: 'invalid_request' });
    },
  );

  it('refuse ids that are none, and know only those that were made', async () => {
    for (const id of ['', 'A', '1a', 'a b', 'x'.repeat(41)])
      expect((await bullpen.post('/v1/tenants', { id })).status).toBe(400);
    for (const id of ['nobody', 'NOBODY', '%00'])
      expect([id, (await patch(id, { weight: 2 })).status >= 400]).toEqual([id, true]);
    expect((await patch('nobody', { weight: 2 })).status).toBe(404);
    expect((await bullpen.post('/v1/tenants/nobody/keys')).status).toBe(404);
  });
});

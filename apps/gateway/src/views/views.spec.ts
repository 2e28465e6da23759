/** What belongs to whoever asks: views, keys, sessions. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ApiKeyList,
  Identity,
  LoginLink,
  ModelList,
  SavedView,
  SavedViewList,
  TenantKey,
} from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const send = (method: string, path: string, body: object | null, headers: Record<string, string> = {}) =>
  bullpen.call(path, {
    method,
    ...(body && { body: JSON.stringify(body) }),
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
  });
const views = async (key = bullpen.key) =>
  SavedViewList.parse(await (await bullpen.call('/v1/views', { key })).json()).data;

describe('saved views', () => {
  it('are kept by key, shown to the tenant when shared, and changed by their maker only', async () => {
    const made = await bullpen.post('/v1/views', { name: '실패', query: { state: 'failed', q: '설정' } });
    expect(made.status).toBe(201);
    const view = SavedView.parse(await made.json());
    expect(view).toMatchObject({ screen: 'tasks', shared: false, mine: true, createdBy: 'test' });
    const again = await bullpen.post('/v1/views', { name: '실패', query: {} });
    expect(await problemFrom(again)).toMatchObject({ status: 409, code: 'already_exists' });

    const colleague = await bullpen.newKey({ scopes: ['read', 'write'] });
    expect(await views(colleague)).toEqual([]);
    expect((await send('PATCH', `/v1/views/${view.id}`, { shared: true })).status).toBe(200);
    expect(await views(colleague)).toMatchObject([{ id: view.id, mine: false, query: view.query }]);
    expect(await views(bullpen.otherKey)).toEqual([]);
    for (const key of [colleague, bullpen.otherKey]) {
      expect((await send('PATCH', `/v1/views/${view.id}`, { name: 'x' }, bearer(key))).status).toBe(404);
      expect((await send('DELETE', `/v1/views/${view.id}`, null, bearer(key))).status).toBe(404);
    }
    expect((await send('DELETE', `/v1/views/${view.id}`, null)).status).toBe(200);
    expect(await views()).toEqual([]);
  });
});

describe('keys', () => {
  it('say who they are, and those of a tenant are listed, made and revoked by its admins', async () => {
    const me = Identity.parse(await (await bullpen.call('/v1/me')).json());
    expect(me).toMatchObject({ tenantId: 'default', keyName: 'test', scopes: ['read', 'write', 'admin'] });
    const made = await bullpen.post('/v1/api-keys', { name: 'ci', scopes: ['read'] });
    const { key } = TenantKey.parse(await made.json());
    expect((await bullpen.call('/v1/me', { key })).status).toBe(200);
    const { data } = ApiKeyList.parse(await (await bullpen.call('/v1/api-keys')).json());
    const listed = data.find(({ name }) => name === 'ci');
    expect(listed).toMatchObject({ scopes: ['read'], revokedAt: null });
    const id = listed?.id ?? '';
    expect((await bullpen.call('/v1/api-keys', { key })).status).toBe(403);
    expect((await send('DELETE', `/v1/api-keys/${id}`, null, bearer(bullpen.otherKey))).status).toBe(404);
    expect((await send('DELETE', `/v1/api-keys/${id}`, null)).status).toBe(200);
    expect((await bullpen.call('/v1/me', { key })).status).toBe(401);
  });
});

it('a browser signs out: its session is over, also for whoever has kept the cookie', async () => {
  const link = LoginLink.parse(await (await bullpen.post('/v1/login-links')).json());
  const code = link.url.split('#')[1];
  // What a scanner of links does spends nothing: the code is in the fragment, and only a POST redeems it.
  for (const method of ['GET', 'HEAD', 'OPTIONS'])
    await bullpen.call(`/v1/sessions?code=${code}`, { method, key: null });
  await bullpen.call('/login', { key: null });
  const session = await bullpen.call('/v1/sessions', {
    ...{ method: 'POST', key: null, body: JSON.stringify({ code }) },
    headers: { 'content-type': 'application/json' },
  });
  expect(session.status).toBe(201);
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  const call = (method: string, path: string, origin?: string) =>
    bullpen.call(path, { method, key: null, headers: { cookie, ...(origin && { origin }) } });
  expect((await call('GET', '/v1/me')).status).toBe(200);
  expect((await call('DELETE', '/v1/sessions/current')).status).toBe(403);
  const out = await call('DELETE', '/v1/sessions/current', bullpen.url);
  expect(out.headers.get('set-cookie')).toContain('Max-Age=0');
  expect((await call('GET', '/v1/me')).status).toBe(401);
});

it('models are listed with their prices; one of the installation alone has none', async () => {
  const { data } = ModelList.parse(await (await bullpen.call('/v1/models')).json());
  expect(data.filter(({ isDefault }) => isDefault)).toHaveLength(1);
  expect(data.find(({ id }) => id === 'claude-sonnet-5-5')).toMatchObject({
    contextTokens: 1_000_000,
    price: { input: '2.00', output: '10.00' },
  });
});

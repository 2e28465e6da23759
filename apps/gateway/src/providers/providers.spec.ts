/** Provider keys over HTTP: how they stand, and who may resume them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '@bullpen/client';
import { ProviderKeyList, ProviderKeyView } from '@bullpen/contracts';
import { ProviderKeys, providerKeyOf } from '@bullpen/store';
import { waitFor } from '@bullpen/testing';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let keys: ProviderKeys;
beforeAll(async () => {
  bullpen = await startTestGateway();
  const quiet = () => undefined;
  keys = new ProviderKeys({ pool: bullpen.pool, onCommitted: quiet, onChanged: quiet });
});
afterAll(() => bullpen?.close());

const key = providerKeyOf('https://models.example/v1?team=7', 'sk-secret');

describe('provider keys', () => {
  it('show why one is parked, and neither the key nor secrets of the address', async () => {
    await keys.park(key, 'billing', 'Your credit balance is too low.');
    const response = await bullpen.call('/v1/providers');
    const text = await response.text();
    expect(text).not.toMatch(/sk-secret|team/);
    expect(ProviderKeyList.parse(JSON.parse(text)).data).toMatchObject([
      {
        id: key.id,
        endpoint: 'https://models.example/v1',
        state: 'parked',
        errorClass: 'billing',
        message: 'Your credit balance is too low.',
        waitingTasks: 0,
        workers: 0,
      },
    ]);
  });

  it('are resumed by an admin only, which the workers and the waiting tasks hear of', async () => {
    const writer = await bullpen.newKey({ scopes: ['read', 'write'] });
    const path = `/v1/providers/${key.id}/resume`;
    const refused = await bullpen.call(path, { method: 'POST', key: writer });
    expect([refused.status, (await problemFrom(refused)).code]).toEqual([403, 'forbidden']);
    expect((await bullpen.call('/v1/providers', { key: writer })).status).toBe(200);

    const heard: unknown[] = [];
    const unsubscribe = await bullpen.bus.subscribe((message) => heard.push(message));
    const { id } = (await (await bullpen.post('/v1/tasks', { prompt: 'x' })).json()) as { id: string };
    await bullpen.prisma.wait.create({
      data: { id: 'wait_1', taskId: id, reason: 'provider', mode: 'all', openEdges: 0, providerKey: key.id },
    });
    await bullpen.prisma.task.update({
      where: { id },
      data: { state: 'waiting', waitReason: 'provider', waitId: 'wait_1' },
    });
    const resumed = await bullpen.post(path);
    expect([resumed.status, ProviderKeyView.parse(await resumed.json())]).toMatchObject([
      200,
      { id: key.id, state: 'open', message: null, waitingTasks: 0 },
    ]);
    expect((await bullpen.prisma.task.findUniqueOrThrow({ where: { id } })).state).toBe('queued');
    const told = () =>
      heard.some((message) => JSON.stringify(message) === JSON.stringify({ kind: 'provider', key: key.id }));
    await waitFor(told, { what: 'the workers to be told' });
    await unsubscribe();
  });

  it('are not found when nobody knows them, whatever their id looks like', async () => {
    for (const id of ['ffffffffffffffff', 'x', '%00', "' or 1=1"]) {
      const response = await bullpen.post(`/v1/providers/${encodeURIComponent(id)}/resume`);
      expect([id, response.status]).toEqual([id, 404]);
    }
    const odd = await bullpen.post(`/v1/providers/${key.id}/resume`, { force: true });
    expect((await problemFrom(odd)).code).toBe('invalid_request');
  });

  it('are reached by the client', async () => {
    await keys.pause(key, 'claude-opus-5-5', 60_000, 'rate_limit');
    const client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
    expect(await client.providers.list()).toMatchObject([
      { id: key.id, state: 'paused', pausedModels: ['claude-opus-5-5'] },
    ]);
    expect(await client.providers.resume(key.id)).toMatchObject({ state: 'open', pausedUntil: null });
  });
});

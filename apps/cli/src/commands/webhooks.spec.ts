import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryDetails, WebhookView } from '@bullpen/contracts';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (...args: string[]): Promise<RunResult> =>
  runCli(['webhooks', ...args], {
    env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' },
    columns: 200,
  });
const asked = () => gateway.requests.map(({ method, path, body }) => [method, path, body]);

const WEBHOOK: WebhookView = {
  ...{
    id: 'webhook_00000000000000000000000001',
    url: 'https://example.com/hook',
    description: 'chat',
    events: ['task.failed'],
  },
  ...{ subtasks: true, createdAt: '2026-01-01T00:00:00.000Z', failures: 0, failingSince: null },
  ...{ disabledAt: null, disabledReason: null },
};
const DELIVERY: DeliveryDetails = {
  ...{
    id: 'delivery_00000000000000000000000001',
    webhookId: 'webhook_00000000000000000000000001',
    type: 'ping',
    taskId: null,
    state: 'pending',
    attempts: 0,
  },
  ...{ nextAt: '2026-01-01T00:00:00.000Z', lastStatus: null, lastError: null, endedAt: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', payload: '{"type":"ping"}', log: [] },
};
const ATTEMPT = {
  ...{ number: 1, at: '2026-01-01T00:00:01.000Z', status: 500, durationMs: 12 },
  ...{ error: 'the receiver answered 500', response: 'o\u001b[2Jops' },
};
const REFUSED: DeliveryDetails = {
  ...{ ...DELIVERY, attempts: 1, lastStatus: 500, lastError: 'the receiver answered 500', log: [ATTEMPT] },
};

describe('webhooks', () => {
  it('are listed with what is wrong with them, safely', async () => {
    const disabled = { disabledAt: WEBHOOK.createdAt, disabledReason: '20 attempts \u001b[2Jfailed' };
    gateway.answers.set('/v1/webhooks', { data: [WEBHOOK, { ...WEBHOOK, id: 'webhook_2', ...disabled }] });
    const { out, err } = await run();
    expect(out).toMatch(/00000001 +ok +https:\/\/example.com\/hook +task.failed \(and subtasks\) +chat/);
    expect(out).toMatch(/webhook_2 +disabled/);
    expect(err).toBe('webhook_2 is disabled: 20 attempts failed\nnext: bullpen webhooks enable webhook_2\n');
    expect(JSON.parse((await run('list', '--json')).out)).toMatchObject({
      data: [{ id: 'webhook_00000000000000000000000001' }, {}],
    });
    gateway.answers.set('/v1/webhooks', { data: [] });
    expect((await run('list')).err).toContain('bullpen webhooks add <url>');
  });

  it('are added and rotated with a secret that is all of stdout, and removed', async () => {
    gateway.answers.set('/v1/webhooks', { ...WEBHOOK, secret: 'whsec_new' });
    const previousUntil = '2026-01-02T00:00:00.000Z';
    gateway.answers.set('/v1/webhooks/webhook_00000000000000000000000001/rotate-secret', {
      secret: 'whsec_next',
      previousUntil,
    });
    gateway.answers.set('/v1/webhooks/webhook_00000000000000000000000001', WEBHOOK);
    const added = await run(
      'add',
      WEBHOOK.url,
      '-e',
      'task.failed, task.waiting',
      '--subtasks',
      '-d',
      'chat',
    );
    expect(added).toMatchObject({
      code: 0,
      out: 'whsec_new\n',
      err: expect.stringContaining('webhook_00000000000000000000000001'),
    });
    expect(await run('rotate', 'webhook_00000000000000000000000001')).toMatchObject({ out: 'whsec_next\n' });
    expect(await run('enable', 'webhook_00000000000000000000000001')).toMatchObject({
      code: 0,
      err: expect.stringContaining('webhook_00000000000000000000000001 is enabled again'),
    });
    expect(await run('remove', 'webhook_00000000000000000000000001')).toMatchObject({
      code: 0,
      err: 'webhook_00000000000000000000000001 is removed\n',
    });
    const body = {
      url: WEBHOOK.url,
      events: ['task.failed', 'task.waiting'],
      subtasks: true,
      description: 'chat',
    };
    expect(asked()).toEqual([
      ['POST', '/v1/webhooks', body],
      ['POST', '/v1/webhooks/webhook_00000000000000000000000001/rotate-secret', undefined],
      ['PATCH', '/v1/webhooks/webhook_00000000000000000000000001', { enabled: true }],
      ['DELETE', '/v1/webhooks/webhook_00000000000000000000000001', undefined],
    ]);
    expect(await run('add', WEBHOOK.url, '-e', 'task.exploded')).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('"task.exploded" is not one of task.waiting') },
    });
  });

  it('are tested: what the first attempt met is the result', async () => {
    gateway.answers.set('/v1/webhooks/webhook_00000000000000000000000001/test', DELIVERY);
    const good = { ...ATTEMPT, status: 204, error: null };
    gateway.answers.set('/v1/webhooks/deliveries/delivery_00000000000000000000000001', {
      ...DELIVERY,
      state: 'delivered',
      log: [good],
    });
    expect(await run('test', 'webhook_00000000000000000000000001')).toMatchObject({
      ...{ code: 0, out: '', err: 'It arrived: the receiver answered 204 in 12 ms.\n' },
    });
    gateway.answers.set('/v1/webhooks/deliveries/delivery_00000000000000000000000001', REFUSED);
    const { code, err } = await run('test', 'webhook_00000000000000000000000001');
    expect([code, err]).toEqual([1, expect.stringContaining('It did not arrive: the receiver answered 500')]);
    expect(err).toContain('bullpen webhooks log delivery_00000000000000000000000001');
  });

  it('have a log, of all or of one delivery, and deliveries can be sent again', async () => {
    gateway.answers.set('/v1/webhooks/webhook_00000000000000000000000001/deliveries', {
      data: [REFUSED],
      nextCursor: 'c',
      hasMore: true,
    });
    gateway.answers.set('/v1/webhooks/deliveries/delivery_00000000000000000000000001', REFUSED);
    gateway.answers.set('/v1/webhooks/deliveries/delivery_00000000000000000000000001/replay', DELIVERY);
    const log = await run('log', 'webhook_00000000000000000000000001', '--state', 'pending', '-n', '999');
    expect(log.out).toMatch(/00000001 +1m +pending +1 +500 +ping +- +the receiver answered 500/);
    expect(log.err).toContain('There are more');
    const one = await run('log', 'delivery_00000000000000000000000001');
    expect(one.out).toContain('1. 2026-01-01T00:00:01.000Z  12 ms  the receiver answered 500: oops');
    expect(one.out).toContain('{"type":"ping"}');
    expect(JSON.parse((await run('log', 'delivery_00000000000000000000000001', '--json')).out)).toMatchObject(
      { id: 'delivery_00000000000000000000000001' },
    );
    expect((await run('replay', 'delivery_00000000000000000000000001')).err).toContain(
      'delivery_00000000000000000000000001 is queued',
    );
    expect(asked().map(([method, path]) => `${String(method)} ${String(path)}`)).toEqual([
      'GET /v1/webhooks/webhook_00000000000000000000000001/deliveries?limit=200&state=pending',
      'GET /v1/webhooks/deliveries/delivery_00000000000000000000000001',
      'GET /v1/webhooks/deliveries/delivery_00000000000000000000000001',
      'POST /v1/webhooks/deliveries/delivery_00000000000000000000000001/replay',
    ]);
  });
});

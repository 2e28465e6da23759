/** Endpoints, the way from events to deliveries, and the outbox, on a real database. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookEventType, type CreateWebhook, type DurableEventBody } from '@bullpen/contracts';
import { emptyStep, type Lease, type TaskOutcome } from '@bullpen/core';
import type { PostgresTaskStore, TaskCommands } from '@bullpen/store';
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  pingWebhook,
  pruneDeliveries,
  replayDelivery,
  rotateWebhookSecret,
  tailWebhooks,
  updateWebhook,
  WebhookOutbox,
  type ClaimedDelivery,
  type GiveUpRule,
  type Prisma,
} from '@bullpen/store';
import { type Settlement } from './outbox.js';
import { aNewChild, untilEventsShow, waitFor } from '@bullpen/testing';
import type { Pool } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

const GOAL: TaskOutcome = { state: 'completed', cause: 'goal', output: 'x', partial: false, failure: null };
const NEVER: GiveUpRule = { failures: 1_000, forMs: 0 };
const failed = (delayMs: number): Settlement => ({
  ...{ status: 500, durationMs: 3, error: 'the receiver answered 500', response: 'oops' },
  next: { kind: 'retry', delayMs },
});
const DELIVERED: Settlement = {
  status: 200,
  durationMs: 3,
  error: null,
  response: '',
  next: { kind: 'delivered' },
};

describe('webhooks', () => {
  let world: StoreWorld;
  let pool: Pool;
  let prisma: Prisma;
  let store: PostgresTaskStore;
  let commands: TaskCommands;
  let outbox: WebhookOutbox;

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, prisma, store, commands } = world);
    outbox = new WebhookOutbox(pool);
  });
  beforeEach(async () => {
    await pool.query('TRUNCATE webhook_endpoints, webhook_cursors, ui_events, tasks CASCADE');
  });
  afterAll(() => world.close());

  let addresses = 0;
  const endpoint = async (over: Partial<CreateWebhook> & { tenantId?: string } = {}): Promise<string> => {
    const { tenantId = 'default', ...rest } = over;
    const id = await createWebhook(pool, tenantId, {
      ...{
        url: `https://receiver.test/${(addresses += 1)}`,
        description: '',
        subtasks: false,
        secret: 'whsec_one',
      },
      ...{ events: [...WebhookEventType.options], ...rest },
    });
    if (id === null) throw new Error('not made');
    return id;
  };
  const create = (tenantId = 'default') => world.create({ tenantId, prompt: 'secret prompt' });
  const claimed = (id: string) => world.claim(id);
  const running = async () => claimed(await create());
  const finish = (lease: Lease, outcome: TaskOutcome = GOAL) =>
    store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome } });
  const waits = (id: string, reason: string) =>
    event(id, 'task.status_changed', { from: 'running', to: 'waiting', reason });
  /** An event as another part of the product writes it. */
  const event = (taskId: string, type: DurableEventBody['type'] | `interaction.${string}`, data: object) =>
    pool.query(
      `WITH t AS (UPDATE tasks SET event_seq = event_seq + 1 WHERE id = $1 RETURNING *)
       INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data) SELECT id, event_seq, root_id, tenant_id, $2, $3 FROM t`,
      [taskId, type, JSON.stringify(data)],
    );
  /** Looks when nothing stands before the events any more: other suites have transactions on the same server. */
  const tail = async (): Promise<number> => {
    await untilEventsShow(pool);
    return tailWebhooks(pool);
  };
  const deliveries = async (endpointId?: string) =>
    (
      await prisma.webhookDelivery.findMany({
        where: endpointId ? { endpointId } : {},
        orderBy: { id: 'asc' },
      })
    ).map((row) => ({
      ...row,
      payload: JSON.parse(row.payload) as { type: string; data: Record<string, unknown> },
    }));
  const claim = (over: { leaseMs?: number; busy?: string[]; limit?: number; perEndpoint?: number } = {}) =>
    outbox.claim({ limit: 10, perEndpoint: 10, leaseMs: 60_000, busy: [], ...over });
  const only = async (claiming: Promise<ClaimedDelivery[]>): Promise<ClaimedDelivery> => {
    const claims = await claiming;
    if (!claims[0] || claims.length > 1) throw new Error(`${claims.length} claims`);
    return claims[0];
  };
  const due = () => pool.query(`UPDATE webhook_deliveries SET next_at = now() WHERE state = 'pending'`);

  describe('from events to deliveries', () => {
    it('tell of what waits for a person and of what ended, with a preview and no prompt', async () => {
      const id = await endpoint();
      const lease = await running();
      await finish(lease, { ...GOAL, output: `${'🐂'.repeat(600)}` });
      const asking = await running();
      await waits(asking.taskId, 'approval');
      await waits(asking.taskId, 'backoff');
      await waits(asking.taskId, 'children');
      const broken = await running();
      const failure = { cause: 'error', code: 'model_failed', message: 'm'.repeat(900) } as const;
      await finish(broken, { ...GOAL, state: 'failed', cause: 'error', output: null, failure });
      const cancelled = await create();
      await waits(cancelled, 'message');
      await commands.cancel('default', cancelled, null);

      expect(await tail()).toBe(5);
      const made = await deliveries(id);
      expect(made.map(({ type, taskId }) => [type, taskId])).toEqual([
        ['task.completed', lease.taskId],
        ['task.waiting', asking.taskId],
        ['task.failed', broken.taskId],
        ['task.waiting', cancelled],
        ['task.cancelled', cancelled],
      ]);
      expect(made[0]?.payload).toEqual({
        type: 'task.completed',
        timestamp: expect.stringMatching(/Z$/),
        data: {
          ...{ taskId: lease.taskId, rootId: lease.taskId, parentId: null, title: 'T', agent: 'tester' },
          ...{ seq: made[0]?.seq, path: `/v1/tasks/${lease.taskId}`, state: 'completed', reason: null },
          ...{ cause: 'goal', costUsd: '0.00', outputPreview: '🐂'.repeat(500) },
        },
      });
      expect(made[1]?.payload.data).toMatchObject({ state: 'waiting', reason: 'approval' });
      expect(made[2]?.payload.data).toMatchObject({
        failure: { code: 'model_failed', message: 'm'.repeat(500) },
      });
      expect(JSON.stringify(made)).not.toContain('secret prompt');
      expect(await tail()).toBe(0);
    });

    it('tell of a task that did only a part as of one that failed, with the part', async () => {
      const id = await endpoint();
      const failure = { cause: 'partial', code: 'partial', message: 'Missing: the rest' } as const;
      const part = {
        ...GOAL,
        state: 'failed',
        cause: 'partial',
        output: 'Half.',
        partial: true,
        failure,
      } as const;
      await finish(await running(), part);
      await tail();
      expect((await deliveries(id)).map(({ payload }) => payload)).toMatchObject([
        { type: 'task.failed', data: { cause: 'partial', outputPreview: 'Half.', partial: true } },
      ]);
    });

    it('tell of interactions everywhere in a tree, and of tasks below the root only when that is wanted', async () => {
      const [roots, all] = [await endpoint(), await endpoint({ subtasks: true })];
      const root = await running();
      const child = aNewChild();
      await store.commit(root, { ...emptyStep(), children: [child] });
      await event(child.id, 'interaction.opened', { interactionId: 'i_1', kind: 'question', text: 'body' });
      await event(child.id, 'interaction.closed', { interactionId: 'i_1', answer: 'a body' });
      await finish(await claimed(child.id));
      await tail();
      const types = async (id: string) => (await deliveries(id)).map(({ type }) => type);
      expect(await types(roots)).toEqual(['interaction.opened', 'interaction.closed']);
      expect(await types(all)).toEqual(['interaction.opened', 'interaction.closed', 'task.completed']);
      const [opened] = await deliveries(roots);
      expect(opened?.payload.data).toMatchObject({
        interactionId: 'i_1',
        kind: 'question',
        taskId: child.id,
      });
      expect(JSON.stringify(await deliveries(roots))).not.toContain('body');
    });

    it('tell each endpoint what it asked for, of its own tenant, from when it was made', async () => {
      const early = await endpoint({ events: ['task.failed'] });
      const foreign = await endpoint({ tenantId: 'other' });
      await finish(await running());
      const late = await endpoint({ events: ['task.completed'] });
      await finish(await running());
      await tail();
      expect(await deliveries(early)).toEqual([]);
      expect(await deliveries(foreign)).toEqual([]);
      expect(await deliveries(late)).toHaveLength(1);
    });

    it('miss and double nothing while transactions are open and several processes look', async () => {
      const id = await endpoint({ events: ['task.completed'] });
      const slow = await pool.connect();
      const leases = await Promise.all([1, 2, 3, 4, 5, 6].map(() => running()));
      // The oldest transaction is the last to be committed.
      await slow.query('BEGIN');
      const [first, ...rest] = leases;
      const to = JSON.stringify({ from: 'running', to: 'completed' });
      await slow.query(
        `INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data) VALUES ($1, 1000, $1, 'default', 'task.status_changed', $2)`,
        [first?.taskId, to],
      );
      for (const lease of rest) await finish(lease);
      expect(await tailWebhooks(pool, 2)).toBe(0);
      await slow.query('COMMIT');
      slow.release();
      await waitFor(
        async () =>
          (await Promise.all([1, 2, 3].map(() => tailWebhooks(pool, 2)))).every((made) => made === 0) &&
          (await deliveries(id)).length > 5,
        { what: 'all deliveries' },
      );
      const told = (await deliveries(id)).map(({ taskId }) => taskId);
      expect(told.sort()).toEqual(leases.map(({ taskId }) => taskId).sort());
      // A cursor that was set back, as by a backup, makes no second delivery.
      await pool.query('UPDATE webhook_cursors SET tx = 0, event_id = 0');
      expect(await tail()).toBe(0);
    });

    it('keep the cursor where it was when deliveries cannot be stored', async () => {
      await endpoint();
      await finish(await running());
      await pool.query(`ALTER TABLE webhook_deliveries ADD CONSTRAINT spec CHECK (seq < 0)`);
      await expect(tail()).rejects.toThrow('spec');
      await pool.query(`ALTER TABLE webhook_deliveries DROP CONSTRAINT spec`);
      expect(await tail()).toBe(1);
    });
  });

  describe('the outbox', () => {
    const queued = async (id: string, count = 1): Promise<string[]> => {
      const ids: string[] = [];
      for (let made = 0; made < count; made += 1) {
        const ping = await pingWebhook(pool, { tenantId: 'default', id });
        if (ping.kind === 'queued') ids.push(ping.id);
      }
      return ids;
    };
    const viewOf = async (id: string) => {
      const view = await getDelivery(prisma, { tenantId: 'default', id });
      if (!view) throw new Error('no delivery');
      return view;
    };

    it('gives each delivery to one process, until it is settled', async () => {
      const ids = await queued(await endpoint(), 6);
      const claims = (await Promise.all([1, 2, 3].map(() => claim({ limit: 2 })))).flat();
      claims.push(...(await claim()));
      expect(claims.map(({ id }) => id).sort()).toEqual(ids);
      expect(await claim()).toEqual([]);
      expect(claims[0]).toMatchObject({ number: 1, tried: 1, secrets: ['whsec_one'], type: 'ping' });
    });

    it('gives what a lost process had claimed to another one, with the same id; whoever delivers it counts', async () => {
      const [id = ''] = await queued(await endpoint());
      const lost = await only(claim({ leaseMs: 0 }));
      const again = await only(claim());
      expect([again.id, again.payload, again.number]).toEqual([id, lost.payload, 2]);
      // The one that was thought lost comes back and knows nothing of the second.
      await outbox.settle(lost, failed(0), NEVER);
      expect(await claim()).toEqual([]);
      await outbox.settle(lost, DELIVERED, NEVER);
      expect(await viewOf(id)).toMatchObject({ state: 'delivered', log: [{ number: 1 }] });
      await outbox.settle(again, failed(0), NEVER);
      expect(await viewOf(id)).toMatchObject({
        state: 'delivered',
        nextAt: null,
        log: [{ number: 1 }, { number: 2 }],
      });
    });

    it('tries again when it is time, gives up when told to, and begins anew when replayed', async () => {
      const [id = ''] = await queued(await endpoint());
      await outbox.settle(await only(claim()), failed(3_600_000), NEVER);
      expect(await claim()).toEqual([]);
      expect(await viewOf(id)).toMatchObject({
        ...{ state: 'pending', attempts: 1, lastStatus: 500, lastError: 'the receiver answered 500' },
        log: [{ number: 1, status: 500, response: 'oops', durationMs: 3 }],
      });
      await due();
      const second = await only(claim());
      expect([second.number, second.tried]).toEqual([2, 2]);
      await outbox.settle(second, { ...failed(0), next: { kind: 'failed' } }, NEVER);
      expect(await viewOf(id)).toMatchObject({ state: 'failed', nextAt: null });
      expect(await replayDelivery(pool, { tenantId: 'default', id })).toEqual({ kind: 'queued', id });
      const third = await only(claim());
      expect([third.id, third.number, third.tried]).toEqual([id, 3, 1]);
      // While one is being sent a replay sends no second one.
      await replayDelivery(pool, { tenantId: 'default', id });
      expect(await claim()).toEqual([]);
      await outbox.release(third);
      expect((await only(claim())).id).toBe(id);
      expect(await replayDelivery(pool, { tenantId: 'other', id })).toEqual({ kind: 'not_found' });
    });

    it('lets no endpoint have all the slots', async () => {
      const [one, two, three] = [await endpoint(), await endpoint(), await endpoint()];
      await queued(one, 5);
      await queued(two, 1);
      await queued(three, 1);
      const claims = await claim({ perEndpoint: 2, busy: [three] });
      expect(claims.map(({ endpointId }) => endpointId)).toEqual([one, one, two]);
    });

    it('signs with the secret before for a day after a rotation, however often', async () => {
      const id = await endpoint();
      const ref = { tenantId: 'default', id };
      const until = await rotateWebhookSecret(pool, ref, 'whsec_two');
      expect(Math.round(((until?.getTime() ?? 0) - Date.now()) / 3_600_000)).toBe(24);
      await rotateWebhookSecret(pool, ref, 'whsec_three');
      await queued(id);
      const rotated = await only(claim({ leaseMs: 0 }));
      expect(rotated.secrets).toEqual(['whsec_three', 'whsec_two', 'whsec_one']);
      await pool.query(
        `UPDATE webhook_secrets SET expires_at = now() - interval '1 second' WHERE expires_at IS NOT NULL`,
      );
      expect((await only(claim())).secrets).toEqual(['whsec_three']);
      for (let n = 0; n < 15; n += 1) await rotateWebhookSecret(pool, ref, `whsec_${n}`);
      expect(await prisma.webhookSecret.count()).toBe(10);
      expect(await rotateWebhookSecret(pool, { ...ref, tenantId: 'other' }, 'whsec_x')).toBeNull();
    });
  });

  describe('endpoints', () => {
    const ref = (id: string) => ({ tenantId: 'default', id });
    const view = (id: string) => getWebhook(prisma, ref(id));

    it('are one for each address of a tenant', async () => {
      const one = await endpoint({ url: 'https://a.test/' });
      const webhook = { url: 'https://a.test/', description: '', events: [], subtasks: false, secret: 's' };
      expect(await createWebhook(pool, 'default', webhook)).toBeNull();
      const two = await endpoint({ url: 'https://b.test/' });
      expect(await updateWebhook(pool, ref(two), { url: 'https://a.test/' })).toBe('taken');
      expect(await updateWebhook(pool, ref(two), { url: 'https://c.test/', subtasks: true })).toBe('updated');
      expect(await view(two)).toMatchObject({ url: 'https://c.test/', subtasks: true });
      expect(await endpoint({ url: 'https://a.test/', tenantId: 'other' })).not.toBe(one);
      expect(await updateWebhook(pool, { tenantId: 'other', id: one }, { subtasks: true })).toBe('not_found');
      expect(await deleteWebhook(pool, { tenantId: 'other', id: one })).toBe(false);
      expect(await deleteWebhook(pool, ref(one))).toBe(true);
    });

    it('that are disabled are told nothing of what happens until they are enabled', async () => {
      const id = await endpoint();
      await finish(await running());
      await tail();
      await updateWebhook(pool, ref(id), { enabled: false });
      expect(await view(id)).toMatchObject({ disabledReason: 'disabled by a person' });
      const [gone] = await deliveries(id);
      expect(gone).toMatchObject({ state: 'failed', lastError: 'the webhook was disabled' });
      expect(await pingWebhook(pool, ref(id))).toEqual({ kind: 'disabled' });
      expect(await replayDelivery(pool, ref(gone?.id ?? ''))).toEqual({ kind: 'disabled' });
      await finish(await running());
      expect(await tail()).toBe(0);
      await updateWebhook(pool, ref(id), { enabled: true });
      expect(await tail()).toBe(0);
      await finish(await running());
      expect(await tail()).toBe(1);
      expect(await view(id)).toMatchObject({ disabledAt: null, disabledReason: null });
    });

    it('are disabled by a 410, and by many failures in a row over a long time, not by either alone', async () => {
      const attempt = async (id: string, settlement: Settlement, rule: GiveUpRule) => {
        await pingWebhook(pool, ref(id));
        return outbox.settle(await only(claim()), settlement, rule);
      };
      const gone = await endpoint();
      expect(await attempt(gone, { ...failed(0), status: 410, next: { kind: 'gone' } }, NEVER)).toContain(
        '410',
      );
      expect(await view(gone)).toMatchObject({ disabledReason: expect.stringContaining('410') });

      const bad = await endpoint();
      const rule = { failures: 3, forMs: 3_600_000 };
      for (let n = 0; n < 4; n += 1) expect(await attempt(bad, failed(1e9), rule)).toBeNull();
      expect(await view(bad)).toMatchObject({ failures: 4, disabledAt: null });
      expect(await attempt(bad, DELIVERED, rule)).toBeNull();
      expect(await view(bad)).toMatchObject({ failures: 0, failingSince: null });
      expect(await attempt(bad, failed(1e9), rule)).toBeNull();
      await pool.query(
        `UPDATE webhook_endpoints SET failing_since = now() - interval '2 hours' WHERE id = $1`,
        [bad],
      );
      expect(await attempt(bad, failed(1e9), rule)).toBeNull();
      expect(await attempt(bad, failed(1e9), rule)).toBe('3 attempts failed in a row');
      const states = (await deliveries(bad)).map(({ state }) => state);
      expect([states.includes('pending'), (await view(bad))?.disabledReason]).toEqual([
        false,
        '3 attempts failed in a row',
      ]);
    });
  });

  it('forgets deliveries that ended long ago, and those of tasks that are deleted', async () => {
    const id = await endpoint();
    for (let n = 0; n < 3; n += 1) await pingWebhook(pool, { tenantId: 'default', id });
    const [first, second] = await claim();
    if (!first || !second) throw new Error('no claims');
    for (const each of [first, second]) await outbox.settle(each, DELIVERED, NEVER);
    await pool.query(`UPDATE webhook_deliveries SET ended_at = now() - interval '31 days' WHERE id = $1`, [
      first.id,
    ]);
    const month = 30 * 86_400;
    expect(await pruneDeliveries(pool, month, AbortSignal.abort())).toBe(0);
    expect(await pruneDeliveries(pool, month, new AbortController().signal)).toBe(1);
    const lease = await running();
    await finish(lease);
    await tail();
    expect(await deliveries()).toHaveLength(3);
    await pool.query('DELETE FROM tasks WHERE id = $1', [lease.taskId]);
    expect((await deliveries()).map(({ type }) => type)).toEqual(['ping', 'ping']);
  });
});

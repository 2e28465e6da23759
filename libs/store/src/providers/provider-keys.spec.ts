import type { CommitEffects } from '@bullpen/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { emptyStep } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import type { PostgresTaskStore, StoreReconciler, TaskCommands } from '@bullpen/store';
import { ProviderKeys, providerKeyOf, seeWorker } from '@bullpen/store';
import type { Pool } from 'pg';
import { StoreWorld } from '../../test/store-world.js';

describe('provider keys', () => {
  let world: StoreWorld;
  let pool: Pool;
  let keys: ProviderKeys;
  let store: PostgresTaskStore;
  let commands: TaskCommands;
  let reconciler: StoreReconciler;
  let changed: string[];

  const [one, two] = [providerKeyOf('https://one.example', 'a'), providerKeyOf('https://one.example', 'b')];
  const MODEL = 'claude-opus-5-5';
  const onCommitted = (committed: CommitEffects) => void world.effects.push(committed);

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, store, commands, reconciler } = world);
    keys = new ProviderKeys({ pool, onCommitted, onChanged: (id) => changed.push(id) });
  });
  beforeEach(async () => {
    [world.effects, changed] = [[], []];
    await pool.query('TRUNCATE provider_keys, workers, tasks CASCADE');
  });
  afterAll(() => world.close());

  /** A task that waits for a key. */
  const waiting = async (key: string) => {
    const lease = await world.running();
    const wait = { reason: 'provider', mode: 'all', childIds: [], dueInMs: null, providerKey: key } as const;
    await store.commit(lease, { ...emptyStep(), end: { kind: 'suspend', waitId: newId('wait'), wait } });
    return lease.taskId;
  };
  const stateOf = async (id: string) =>
    (await pool.query<{ state: string }>('SELECT state FROM tasks WHERE id = $1', [id])).rows[0]?.state;
  const listed = async (id: string) => (await keys.list()).find((key) => key.id === id);
  const worker = (id: string, providerKey: string, stopped = false) =>
    seeWorker(
      pool,
      {
        id,
        host: 'h',
        pid: 1,
        slots: 1,
        running: 0,
        version: '0',
        simulated: false,
        providerKey,
        sandbox: 'none',
      },
      stopped,
    );

  it('are named by endpoint and key, and show neither the key nor what the address holds of secrets', () => {
    const key = providerKeyOf('https://user:secret@proxy.example:8443/v1/?account=7', 'sk-1');
    expect(key).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      endpoint: 'https://proxy.example:8443/v1',
    });
    expect(providerKeyOf('https://one.example/', 'a')).toEqual(one);
    const others = [
      two,
      providerKeyOf('https://two.example', 'a'),
      providerKeyOf('https://one.example?b', 'a'),
    ];
    expect(new Set([one, ...others].map(({ id }) => id)).size).toBe(4);
  });

  it('keep the longer of two pauses, and tell what is left by the clock of the database', async () => {
    expect(await keys.register(one)).toEqual({ parked: null, pauses: [] });
    await keys.pause(one, MODEL, 60_000, 'rate_limit');
    const longer = (await keys.pause(one, MODEL, 90_000, 'overload')).pauses[0];
    const kept = (await keys.pause(one, MODEL, 1_000, 'rate_limit')).pauses[0];
    expect(kept?.id).toBe(longer?.id);
    expect(kept).toMatchObject({ errorClass: 'overload' });
    expect(kept?.leftMs).toBeGreaterThan(80_000);
    expect(kept?.leftMs).toBeLessThanOrEqual(90_000);
    expect(changed).toEqual([one.id, one.id, one.id]);
    expect(await keys.read(two.id)).toEqual({ parked: null, pauses: [] });
  });

  it('keep the pauses of their models apart, and end them all when resumed', async () => {
    await keys.pause(one, MODEL, 60_000, 'rate_limit');
    await keys.pause(one, 'claude-haiku-5-5', 90_000, 'overload');
    const { pauses } = await keys.pause(one, 'claude-fable-5', 0, 'rate_limit');
    expect(pauses.map(({ model, errorClass }) => `${model} ${errorClass}`).sort()).toEqual([
      'claude-fable-5 rate_limit',
      'claude-haiku-5-5 overload',
      `${MODEL} rate_limit`,
    ]);
    expect(await listed(one.id)).toMatchObject({
      state: 'paused',
      errorClass: 'overload',
      pausedModels: ['claude-haiku-5-5', MODEL],
    });
    expect(await keys.resume(one.id)).toMatchObject({ state: 'open', pausedUntil: null, pausedModels: [] });
    expect(await keys.read(one.id)).toEqual({ parked: null, pauses: [] });
  });

  it('keep the first reason while parked, also when a worker starts meanwhile', async () => {
    await keys.park(one, 'authentication', 'invalid x-api-key');
    await keys.park(one, 'billing', 'No credit.');
    expect(await keys.register(one)).toMatchObject({
      parked: { errorClass: 'authentication', message: 'invalid x-api-key' },
    });
    await keys.resume(one.id);
    expect((await keys.park(one, 'billing', 'No credit.')).parked).toEqual({
      errorClass: 'billing',
      message: 'No credit.',
    });
  });

  it('take a pause longer than an integer of milliseconds', async () => {
    expect((await keys.pause(one, MODEL, 5e9, 'rate_limit')).pauses[0]?.leftMs).toBeGreaterThan(4.9e9);
  });

  it('queue all tasks that wait for them when resumed, and no others', async () => {
    await Promise.all([keys.park(one, 'billing', 'A'), keys.park(two, 'billing', 'B')]);
    const [first, second, foreign] = [await waiting(one.id), await waiting(one.id), await waiting(two.id)];
    expect(await listed(one.id)).toMatchObject({
      state: 'parked',
      errorClass: 'billing',
      message: 'A',
      waitingTasks: 2,
    });
    expect(await listed(two.id)).toMatchObject({ state: 'parked', workers: 0, waitingTasks: 1 });
    [world.effects, changed] = [[], []];
    expect(await keys.resume(one.id)).toMatchObject({
      state: 'open',
      message: null,
      since: null,
      waitingTasks: 0,
    });
    expect(changed).toEqual([one.id]);
    expect(world.effects.flatMap(({ wakes }) => wakes)).toEqual(
      [first, second].map((taskId) => ({ taskId, wake: 2 })),
    );
    expect(await Promise.all([first, second, foreign].map(stateOf))).toEqual(['queued', 'queued', 'waiting']);
    expect(await keys.resume('ffffffffffffffff')).toBeNull();
  });

  it('are listed with the workers that live, and left out when nobody needs to know them', async () => {
    await Promise.all([keys.register(one), keys.register(two)]);
    expect(await keys.list()).toEqual([]);
    await worker('worker_a', one.id);
    await worker('worker_b', one.id);
    await worker('worker_c', one.id, true);
    await keys.pause(two, MODEL, 60_000, 'rate_limit');
    expect(await listed(one.id)).toMatchObject({
      ...one,
      state: 'open',
      workers: 2,
      since: null,
      pausedUntil: null,
      pausedModels: [],
    });
    const paused = await listed(two.id);
    expect(paused).toMatchObject({
      ...two,
      state: 'paused',
      workers: 0,
      errorClass: 'rate_limit',
      pausedModels: [MODEL],
    });
    expect(Date.parse(paused?.pausedUntil ?? '') - Date.parse(paused?.since ?? '')).toBeCloseTo(60_000, -3);
  });

  it('are forgotten a month after their last use, unless something stands against them', async () => {
    const three = providerKeyOf('https://three.example', 'a');
    await Promise.all([keys.register(one), keys.register(two), keys.park(three, 'billing', 'A')]);
    await worker('worker_a', two.id);
    await pool.query(`UPDATE provider_keys SET updated_at = now() - interval '31 days'`);
    await keys.register(providerKeyOf('https://four.example', 'a'));
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM provider_keys WHERE id = ANY ($1)', [
      [one.id, two.id, three.id],
    ]);
    expect(rows.map(({ id }) => id).sort()).toEqual([two.id, three.id].sort());
  });

  describe('a task that waits for a key is looked at again and again', () => {
    const look = async (id: string) => {
      expect(await reconciler.wakeProviderWaits()).toBe(0);
      return stateOf(id);
    };

    it('and goes on when the key is open, whoever made it so', async () => {
      await keys.park(one, 'billing', 'A');
      const id = await waiting(one.id);
      expect(await look(id)).toBe('waiting');
      await pool.query('UPDATE provider_keys SET parked_at = NULL');
      expect(await look(id)).toBe('queued');
      expect(await reconciler.fireDueWaits()).toBe(0);
    });

    it('and goes on when the key was resumed between the refusal and the wait', async () => {
      await keys.park(one, 'billing', 'A');
      const lease = await world.running();
      await keys.resume(one.id);
      const wait = {
        reason: 'provider',
        mode: 'all',
        childIds: [],
        dueInMs: null,
        providerKey: one.id,
      } as const;
      await store.commit(lease, { ...emptyStep(), end: { kind: 'suspend', waitId: newId('wait'), wait } });
      expect(await look(lease.taskId)).toBe('queued');
    });

    it('and goes on when the workers were restarted with another key', async () => {
      await keys.park(one, 'billing', 'A');
      const id = await waiting(one.id);
      await worker('worker_old', one.id);
      expect(await look(id)).toBe('waiting');
      await worker('worker_old', one.id, true);
      expect(await look(id)).toBe('waiting');
      await worker('worker_new', two.id);
      expect(await look(id)).toBe('queued');
    });

    it('but not because of another key that is parked, or whose workers are gone', async () => {
      await Promise.all([keys.park(one, 'billing', 'A'), keys.park(two, 'billing', 'B')]);
      const id = await waiting(one.id);
      await worker('worker_b', two.id);
      expect(await look(id)).toBe('waiting');
      await worker('worker_c', 'cccccccccccccccc');
      await pool.query(`UPDATE workers SET seen_at = now() - interval '31 s' WHERE id = 'worker_c'`);
      expect(await look(id)).toBe('waiting');
    });

    it('and tries its luck only so often where some workers have the parked key and some another', async () => {
      await keys.park(one, 'billing', 'A');
      const id = await waiting(one.id);
      await Promise.all([worker('worker_a', one.id), worker('worker_b', two.id)]);
      expect(await look(id)).toBe('waiting');
      await pool.query(`UPDATE waits SET created_at = now() - interval '11 s'`);
      expect(await look(id)).toBe('queued');
    });

    it('while a paused one stays paused, and goes on when it is resumed', async () => {
      await keys.park(one, 'billing', 'A');
      const id = await waiting(one.id);
      await commands.pause('default', id, false);
      await keys.resume(one.id);
      expect(await look(id)).toBe('paused');
      await commands.resume('default', id);
      expect(await look(id)).toBe('queued');
    });
  });
});

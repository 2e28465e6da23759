/** Ended tasks done anew, bulk retries as they are looked at, and failures by kind. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { TaskFailure } from '@bullpen/contracts';
import { emptyStep, type Lease, type TaskOutcome } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { aDefinition, aNewChild } from '@bullpen/testing';
import type { Pool } from 'pg';
import type { TaskCommands } from './commands.js';
import { type NewRootTask } from './commands.js';
import { Dispatches } from './dispatches.js';
import { checkInvariants } from '../invariants/check-invariants.js';
import { type Prisma } from '../database/prisma-client.js';
import { listFailures } from '../queries/failures.js';
import { getTask } from '../queries/tasks.js';
import { StoreReconciler } from '../repairs/reconciler.js';
import type { PostgresTaskStore } from './task-store.js';
import { StoreWorld } from '../../test/store-world.js';

describe('trying again', () => {
  let world: StoreWorld;
  let pool: Pool;
  let prisma: Prisma;
  let store: PostgresTaskStore;
  let commands: TaskCommands;

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ pool, prisma, store, commands } = world);
  });
  beforeEach(async () => {
    world.effects = [];
    await pool.query('TRUNCATE tasks, ui_events, usage_records, budget_accounts CASCADE');
  });
  afterAll(() => world.close());

  const create = (over: Partial<NewRootTask> = {}) =>
    world.create({
      input: { b: 1, a: [null, 'x'] },
      workspace: { kind: 'path', path: '/srv', copy: true },
      priority: 7,
      tags: ['a'],
      metadata: { k: 'v' },
      ...over,
    });
  const claim = (id: string, wake?: number) => world.claim(id, wake);
  const end = async (lease: Lease, outcome: Partial<TaskOutcome>) =>
    store.commit(lease, {
      ...emptyStep(),
      end: {
        kind: 'finish',
        outcome: {
          state: 'completed',
          cause: 'goal',
          output: null,
          partial: false,
          failure: null,
          ...outcome,
        },
      },
    });
  const fail = (lease: Lease, failure: Partial<TaskFailure> = {}) => {
    const cause = failure.cause ?? 'error';
    return end(lease, {
      state: 'failed',
      cause,
      failure: { cause, code: 'model_failed', message: 'It broke.', ...failure },
    });
  };
  const aFailure = async (failure: Partial<TaskFailure> = {}, over: Partial<NewRootTask> = {}) => {
    const id = await create(over);
    await fail(await claim(id), failure);
    return id;
  };
  const redo = (id: string, over: Partial<Parameters<TaskCommands['redo']>[2]> = {}, tenantId = 'default') =>
    commands.redo(tenantId, id, {
      taskId: newId('task'),
      message: null,
      limits: {},
      ...over,
    });
  const madeBy = async (result: Awaited<ReturnType<typeof redo>>) => {
    if (result.kind !== 'created') throw new Error(JSON.stringify(result));
    return getTask(prisma, 'default', result.taskId);
  };

  describe('anew', () => {
    it('makes a new root of the same task that reuses nothing, and wakes it', async () => {
      const id = await create({ deadlineAt: new Date(Date.now() + 60_000) });
      const lease = await claim(id);
      await store.commit(lease, { ...emptyStep(), patch: { turns: 5, workspacePath: '/old' } });
      await end(lease, {});
      world.effects = [];

      const task = await madeBy(await redo(id, { limits: { turns: 9 } }));

      expect(task).toMatchObject({
        retryOfId: id,
        parentId: null,
        rootId: task?.id,
        state: 'queued',
        attempt: 1,
        turns: 0,
        title: 'T',
        prompt: 'P',
        input: { b: 1, a: [null, 'x'] },
        workspace: { kind: 'path', path: '/srv', copy: true },
        workspacePath: null,
        priority: 7,
        tags: ['a'],
        metadata: { k: 'v' },
        deadlineAt: null,
        limits: { ...aDefinition().limits, turns: 9 },
      });
      expect(world.effects.flatMap(({ wakes }) => wakes)).toEqual([{ taskId: task?.id, wake: 1 }]);
      expect((await checkInvariants(pool)).filter(({ holds }) => !holds)).toEqual([]);
    });

    it('takes failed and cancelled tasks, and subtasks as roots of their own; nothing that lives, and nobody else’s', async () => {
      const root = await create();
      const lease = await claim(root);
      const child = aNewChild({ prompt: 'child' });
      await store.commit(lease, { ...emptyStep(), children: [child] });
      expect(await redo(child.id)).toMatchObject({ kind: 'refused' });
      await fail(await claim(child.id));
      expect(await redo(root)).toEqual({
        kind: 'refused',
        reason: `Task ${root} is running; only a task that has ended can be started over.`,
      });
      expect(await redo(child.id, {}, 'other')).toEqual({ kind: 'not_found' });

      expect(await madeBy(await redo(child.id))).toMatchObject({ parentId: null, depth: 0, prompt: 'child' });

      const cancelled = await create();
      await commands.cancel('default', cancelled, null);
      const request = { messageId: newId('inbox'), message: null, limits: {} };
      expect(await commands.retry('default', cancelled, request)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('only a failed task can go on'),
      });
      expect(await madeBy(await redo(cancelled))).toMatchObject({ retryOfId: cancelled });
      expect(await commands.retry('default', child.id, request)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('subtask'),
      });
    });

    it('puts what the agent is told on top into its inbox, and begins later when it is to', async () => {
      const id = await aFailure();
      world.effects = [];
      const runAt = new Date(Date.now() + 60_000);
      const task = await madeBy(await redo(id, { message: 'Mind the gap.', runAt }));
      const { rows } = await pool.query('SELECT text FROM inbox_messages WHERE task_id = $1', [task?.id]);
      expect(rows).toEqual([{ text: 'Mind the gap.' }]);
      expect(task?.runAt).toBe(runAt.toISOString());
      expect(world.effects.flatMap(({ wakes }) => wakes)).toEqual([]);
    });

    it('happens once of many at the same time when that is asked for', async () => {
      const id = await aFailure();
      const results = await Promise.all(Array.from({ length: 5 }, () => redo(id, { once: true })));
      expect(results.map(({ kind }) => kind).sort()).toEqual([
        'created',
        ...Array<string>(4).fill('refused'),
      ]);
      expect((await redo(id)).kind).toBe('created');
    });

    it('creates nothing when what belongs to it cannot be stored', async () => {
      const id = await aFailure();
      const request = { taskId: newId('task'), messageId: newId('inbox'), message: null, limits: {} };
      await expect(
        commands.redo('default', id, request, () => Promise.reject(new Error('no key'))),
      ).rejects.toThrow('no key');
      expect(await getTask(prisma, 'default', request.taskId)).toBeNull();
    });
  });

  describe('from where it stopped', () => {
    const request = (over: object = {}) => ({
      messageId: newId('inbox'),
      message: null,
      limits: {},
      ...over,
    });

    it('may begin later: it is not announced before, cannot be claimed before, and shows as delayed', async () => {
      const id = await aFailure();
      world.effects = [];
      expect(await commands.retry('default', id, request({ delayMs: 60_000 }))).toEqual({ kind: 'queued' });
      expect(world.effects.flatMap(({ wakes }) => wakes)).toEqual([]);
      expect(await store.claim(id, 2, 'worker_a')).toBeNull();
      const reconciler = new StoreReconciler({ pool, onCommitted: () => undefined });
      expect((await new Dispatches(pool).admit([])).filter((wake) => wake.taskId === id)).toEqual([]);
      expect(await reconciler.laterWakes(5_000, 10)).toMatchObject([{ taskId: id, wake: 2 }]);
      expect(await reconciler.laterWakes(120_000, 10)).toEqual([]);
    });

    it('is refused for a wake that is not the newest any more', async () => {
      const id = await aFailure();
      expect(await commands.retryWake(id, { ...request(), wake: 1 })).toEqual({ kind: 'queued' });
      expect(await commands.retryWake(id, { ...request(), wake: 1 })).toMatchObject({ kind: 'refused' });
      await fail(await claim(id, 2));
      expect(await commands.retryWake(id, { ...request(), wake: 1 })).toEqual({
        kind: 'refused',
        reason: `Task ${id} has been retried since then, and has failed again.`,
        pointer: null,
      });
      expect(await commands.retryWake(id, { ...request(), wake: 2 })).toEqual({ kind: 'queued' });
      expect(await commands.retryWake(newId('task'), { ...request(), wake: 1 })).toEqual({
        kind: 'not_found',
      });
    });
  });

  it('shows waits that end by themselves as delayed, the next ones first, and none that is over', async () => {
    const reconciler = new StoreReconciler({ pool, onCommitted: () => undefined });
    const wait = async (dueInMs: number) => {
      const id = await create();
      await store.commit(await claim(id), {
        ...emptyStep(),
        end: {
          kind: 'suspend',
          waitId: newId('wait'),
          wait: { reason: 'backoff', mode: 'all', childIds: [], dueInMs },
        },
      });
      return id;
    };
    const [late, soon, near, cancelled] = [
      await wait(90_000),
      await wait(60_000),
      await wait(1_000),
      await wait(60_000),
    ];
    const asleep = await create({ runAt: new Date(Date.now() + 75_000) });
    await commands.cancel('default', cancelled, null);
    const shown = await reconciler.laterWakes(5_000, 10);
    expect(shown.map(({ taskId }) => taskId)).toEqual([soon, asleep, late]);
    expect(shown[0]?.dueInMs).toBeGreaterThan(50_000);
    expect(await reconciler.laterWakes(5_000, 1)).toHaveLength(1);
    expect([near, cancelled].some((id) => shown.some(({ taskId }) => taskId === id))).toBe(false);
  });

  it('groups failures that differ only in ids, paths and numbers', async () => {
    const message = (n: number) =>
      `Task ${newId('task')} could not read /home/user${n}/a-${n}.txt after ${n}.5 s (request 3f0e8a1c9b${n}, call 018f2c3e-1111-4abc-8def-00000000000${n})`;
    await aFailure({ message: message(1) });
    await aFailure({ message: message(2) }, { definition: aDefinition({ name: 'scout' }) });
    const last = await aFailure({ message: message(3) });
    await aFailure({ message: 'Refused.', cause: 'refused', errorClass: 'request' });
    await aFailure({ message: message(4) }, { tenantId: 'other' });

    const { data, total } = await listFailures(prisma, 'default', { limit: 10 });
    expect(data).toMatchObject([
      {
        cause: 'error',
        code: 'model_failed',
        errorClass: null,
        message: 'Task <id> could not read <path> after <n> s (request <hex>, call <id>)',
        count: 3,
        roots: 3,
        exampleId: last,
        agents: ['scout', 'tester'],
      },
      { cause: 'refused', errorClass: 'request', message: 'Refused.', count: 1 },
    ]);
    expect(total).toBe(4);
    expect(await listFailures(prisma, 'default', { limit: 1, agent: 'scout' })).toMatchObject({
      total: 1,
      data: [{ count: 1 }],
    });
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await listFailures(prisma, 'default', { limit: 1, from: later })).toMatchObject({
      data: [],
      total: 0,
    });
  });
});

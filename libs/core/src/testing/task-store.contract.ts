/** What every implementation of the `TaskStore` port must do. Run by each of them in its own spec. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { nanoUsdOf } from '@bullpen/contracts';
import { emptyStep } from '../turn/draft.js';
import type { Step } from '../ports/store.js';
import type { Lease, ModelCallRecord, NewChild, StoredMessage, ToolCallRecord } from '../task/task.js';
import { calledRow, checkpointRow, childRow, saidRow } from './contract-rows.js';
import type { TaskStoreHarness } from './store-harness.js';
import { reductionCases } from './reduction.contract.js';
import { transitionCases } from './transition.contract.js';
import { steeringCases } from './steering.contract.js';

const AT = new Date('2026-01-02T03:04:05.678Z');
const USAGE = {
  inputTokens: 10,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheWrite5mTokens: 4,
  cacheWrite1hTokens: 5,
};
const GOAL = {
  state: 'completed',
  cause: 'goal',
  output: { done: true },
  partial: false,
  failure: null,
} as const;

export function taskStoreContract(name: string, open: () => Promise<TaskStoreHarness>): void {
  describe(`${name} as a task store`, () => {
    let world: TaskStoreHarness;
    let taskId: string;
    let lease: Lease;

    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.close());
    beforeEach(async () => {
      taskId = await world.create(world.definition);
      lease = await claimed(taskId, 1);
    });

    async function claimed(id: string, wake: number, worker = 'worker_a'): Promise<Lease> {
      const taken = await world.store.claim(id, wake, worker);
      if (!taken) throw new Error(`nothing to claim: ${id} wake ${wake}`);
      return taken;
    }
    const commit = (step: Partial<Step>, by = lease) => world.store.commit(by, { ...emptyStep(), ...step });
    const said = (
      seq: number,
      role: 'user' | 'assistant' = 'assistant',
      content: StoredMessage['content'] = [{ type: 'text', text: 'x' }],
    ): StoredMessage => saidRow(world, seq, { role, content });
    const asked = (reservedNanoUsd = 0n): ModelCallRecord => ({
      id: world.newId('mcall'),
      turn: 1,
      attempt: 1,
      taskAttempt: 1,
      phase: 'work',
      profile: 'claude-sonnet-5-5',
      model: 'claude-sonnet-5-5',
      status: 'started',
      requestHash: 'h',
      requestMessages: 1,
      context: null,
      firstByteMs: null,
      firstTextMs: null,
      reservedNanoUsd,
      providerRequestId: null,
      stopReason: null,
      errorClass: null,
      errorMessage: null,
      retryDelayMs: null,
      startedAt: AT,
      endedAt: null,
    });
    const called = (messageId: string, status: ToolCallRecord['status'] = 'calling') =>
      calledRow(world, messageId, { status });
    const child = (): NewChild => childRow(world, world.definition);
    const suspendOn = (ids: readonly string[], mode: 'all' | 'any' | 'first_success' = 'all') => ({
      kind: 'suspend' as const,
      waitId: world.newId('wait'),
      wait: { reason: 'children' as const, mode, childIds: ids, dueInMs: null },
    });
    /** Spawns children, suspends the parent on them; gives their leases. */
    async function suspended(count: number, mode: 'all' | 'any' | 'first_success' = 'all'): Promise<Lease[]> {
      const children = Array.from({ length: count }, child);
      await commit({ children });
      expect(
        await commit({
          end: suspendOn(
            children.map(({ id }) => id),
            mode,
          ),
        }),
      ).toMatchObject({ kind: 'committed' });
      return Promise.all(children.map(({ id }) => claimed(id, 1, 'worker_b')));
    }

    it('lets nothing wait while the task is to leave what it does, unless the step does so', async () => {
      await world.interrupt(taskId, 'Leave that.');
      const end = () => suspendOn([]);
      const wait = { ...end().wait, reason: 'backoff' as const, dueInMs: 60_000 };
      expect(await commit({ end: { ...end(), wait } })).toMatchObject({
        kind: 'not_suspended',
        interrupted: true,
      });
      expect(await commit({ patch: { interrupted: false }, end: { ...end(), wait } })).toMatchObject({
        kind: 'committed',
      });
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting' });
    });

    it('lets nothing wait once a cancel was requested', async () => {
      await world.cancel(taskId);
      const wait = { reason: 'backoff' as const, mode: 'all' as const, childIds: [], dueInMs: 7_200_000 };
      expect(await commit({ end: { kind: 'suspend', waitId: world.newId('wait'), wait } })).toMatchObject({
        kind: 'not_suspended',
        cancelRequested: true,
      });
      expect(await world.look(taskId)).toMatchObject({ state: 'running' });
    });

    it('gives a wake to one claimant only, and an old wake to none', async () => {
      expect(await world.store.claim(taskId, 1, 'worker_b')).toBeNull();
      await commit({ end: { kind: 'yield' } });
      expect(await world.store.claim(taskId, 1, 'worker_b')).toBeNull();
      expect(await world.store.claim(taskId, 2, 'worker_b')).toEqual({
        taskId,
        epoch: 2,
        workerId: 'worker_b',
      });
    });

    it('gives back what a step stored, contents byte for byte', async () => {
      const content: StoredMessage['content'] = [
        { type: 'thinking', thinking: 'ü🙂', signature: 'sig==' },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'act',
          input: { z: 1, a: [1.5, null, '한국어'], '10': true },
        },
      ];
      const message = said(2, 'assistant', content);
      const call = { ...called(message.id, 'generated'), sandbox: 'bubblewrap' };
      await commit({
        messages: [message],
        toolCalls: [call],
        patch: {
          turns: 1,
          sandbox: 'bubblewrap',
          phase: 'grace',
          pendingCause: 'turn_limit',
          todos: [{ text: 't', status: 'pending' }],
        },
      });
      const snapshot = await world.store.load(lease);
      expect(snapshot?.messages.map(({ seq }) => seq)).toEqual([1, 2]);
      expect(JSON.stringify(snapshot?.messages[1]?.content)).toBe(JSON.stringify(content));
      expect(snapshot?.toolCalls).toEqual([call]);
      expect(snapshot?.task).toMatchObject({
        turns: 1,
        sandbox: 'bubblewrap',
        phase: 'grace',
        pendingCause: 'turn_limit',
        todos: [{ text: 't', status: 'pending' }],
      });
    });

    it('shows open model calls of the present turn only until they are done', async () => {
      const call = asked();
      await commit({ modelCalls: [call] });
      expect((await world.store.load(lease))?.modelCalls).toEqual([call]);
      await commit({
        modelCalls: [{ ...call, status: 'done', endedAt: AT }],
        messages: [said(2)],
        patch: { turns: 1 },
      });
      expect((await world.store.load(lease))?.modelCalls).toEqual([]);
    });

    it('remembers what the provider said of the window, by answer and by call', async () => {
      expect(await world.store.load(lease)).toMatchObject({ context: null });
      const context = {
        ...{ system: 10, tools: 20, messages: 70, tokens: 100, window: 1_000, reservedOutput: 100 },
        ...{ budget: 900, threshold: 810, share: 100 / 900, isEstimate: true },
      };
      const call = { ...asked(), context };
      const answer = { ...said(2), contextTokens: 120 };
      await commit({ modelCalls: [call] });
      expect(await world.store.load(lease)).toMatchObject({ context, modelCalls: [{ context }] });
      const exact = { ...context, tokens: 120, share: 120 / 900, isEstimate: false };
      const done = { status: 'done' as const, context: exact, firstByteMs: 3, firstTextMs: 5 };
      await commit({ modelCalls: [{ ...call, ...done }], messages: [answer], patch: { turns: 1 } });
      await commit({ modelCalls: [{ ...asked(), turn: 2 }] });
      const snapshot = await world.store.load(lease);
      expect(snapshot?.context).toEqual(exact);
      expect(snapshot?.messages.map(({ contextTokens }) => contextTokens)).toEqual([undefined, 120]);
    });

    it('lets an old epoch write nothing, wherever the task stands', async () => {
      await world.expire(taskId);
      expect(await commit({ messages: [said(2)] })).toEqual({ kind: 'fenced' });
      await claimed(taskId, 2, 'worker_b');
      for (const step of [
        { messages: [said(2)] },
        { children: [child()] },
        { end: suspendOn([]) },
        { end: { kind: 'finish' as const, outcome: GOAL } },
      ]) {
        expect(await commit(step)).toEqual({ kind: 'fenced' });
      }
      expect(await world.store.load(lease)).toBeNull();
      expect(await world.look(taskId)).toMatchObject({ messages: 1, state: 'running', epoch: 2 });
    });

    it('tells of a lost worker, and remembers it until the next run has told what that one left', async () => {
      expect((await world.store.load(lease))?.task.leftBy).toBeNull();
      await world.expire(taskId);
      expect((await world.look(taskId)).events.slice(-2)).toEqual(['worker.lost', 'task.status_changed']);
      lease = await claimed(taskId, 2, 'worker_b');
      expect((await world.store.load(lease))?.task.leftBy).toBe('worker_a');
      const told = { from: 'worker_a', to: 'worker_b', repeated: [], cutOff: [], modelCalls: 0 };
      await commit({ patch: { leftBy: null }, events: [{ type: 'task.taken_over', data: told }] });
      expect((await world.store.load(lease))?.task.leftBy).toBeNull();
      await world.expire(taskId);
      lease = await claimed(taskId, 3);
      expect((await world.store.load(lease))?.task.leftBy).toBe('worker_b');
      await commit({ end: { kind: 'yield' } });
      lease = await claimed(taskId, 4);
      expect((await world.store.load(lease))?.task.leftBy).toBeNull();
    });

    it('counts lost leases without progress, and forgets them with the first step that makes some', async () => {
      await world.expire(taskId);
      lease = await claimed(taskId, 2);
      expect((await world.store.load(lease))?.task.crashes).toBe(1);
      await commit({ messages: [said(2)] });
      expect((await world.store.load(lease))?.task.crashes).toBe(0);
    });

    it('adds usage to the task and the account of the tree, and gives reservations back', async () => {
      const call = asked(1_000n);
      await commit({ modelCalls: [call], reserveNanoUsd: 1_000n });
      expect(await world.look(taskId)).toMatchObject({ reserved: 1_000n, spent: 0n });
      const usage = {
        modelCallId: call.id,
        model: call.model,
        usage: USAGE,
        price: null,
        costNanoUsd: 700n,
        estimated: false,
        simulated: true,
      };
      await commit({
        modelCalls: [{ ...call, status: 'done', reservedNanoUsd: 0n }],
        usage: [usage],
        releaseNanoUsd: 1_000n,
      });
      expect(await world.look(taskId)).toMatchObject({ reserved: 0n, spent: 700n, cost: 700n });
      expect((await world.store.load(lease))?.task).toMatchObject({ usage: USAGE, costNanoUsd: 700n });
    });

    it('refuses a reservation that does not fit the tree, and stores nothing of that step', async () => {
      const all = nanoUsdOf(world.definition.limits.costUsd ?? '0');
      await commit({ modelCalls: [asked(all)], reserveNanoUsd: all });
      const result = await commit({ messages: [said(2)], modelCalls: [asked(1n)], reserveNanoUsd: 1n });
      expect(result).toEqual({
        kind: 'over_budget',
        limitNanoUsd: all,
        spentNanoUsd: 0n,
        reservedNanoUsd: all,
      });
      expect(await world.look(taskId)).toMatchObject({ messages: 1, reserved: all });
    });

    it('shares one account among the whole tree, exactly under parallel children', async () => {
      const all = nanoUsdOf(world.definition.limits.costUsd ?? '0');
      const leases = await suspended(5);
      const results = await Promise.all(
        leases.map((by) => commit({ modelCalls: [asked(all / 3n)], reserveNanoUsd: all / 3n }, by)),
      );
      expect(results.filter(({ kind }) => kind === 'committed')).toHaveLength(3);
      expect((await world.look(taskId)).reserved).toBe((all / 3n) * 3n);
    });

    it('stores the intent of a call as not started, and no event of a start, when a cancel came first', async () => {
      const message = said(2);
      await world.cancel(taskId);
      const data = { callId: 'x', tool: 'act', turn: 1, arguments: {} };
      const result = await commit({
        messages: [message],
        toolCalls: [called(message.id)],
        events: [
          { type: 'tool.started', data },
          { type: 'workspace.setup_started', data: { callId: 'y', command: 'npm ci' } },
          { type: 'todo.updated', data: { todos: [] } },
        ],
      });
      expect(result).toMatchObject({ kind: 'committed', cancelRequested: true });
      const { calls, events } = await world.look(taskId);
      expect(calls).toEqual([{ status: 'generated', started: false }]);
      expect(events).not.toContain('tool.started');
      expect(events).not.toContain('workspace.setup_started');
      expect(result).toMatchObject({ eventSeq: events.length });
    });

    it('bears the children of a cancelled task cancelled', async () => {
      await world.cancel(taskId);
      const born = child();
      await commit({ children: [born] });
      expect(await world.look(born.id)).toMatchObject({ state: 'cancelled', cause: 'cancelled' });
      expect(await world.store.claim(born.id, 1, 'worker_b')).toBeNull();
    });

    it('creates a child with its input in the first message, in the tree of its parent', async () => {
      const born = child();
      await commit({ children: [born] });
      const own = await claimed(born.id, 1);
      const snapshot = await world.store.load(own);
      expect(snapshot?.task).toMatchObject({ parentId: taskId, rootId: taskId, depth: 1, input: { n: 1 } });
      expect(JSON.stringify(snapshot?.messages[0]?.content)).toContain('Do a part.');
      expect((await world.store.load(lease))?.task.childCount).toBe(1);
    });

    it('gives a child that begins from a checkpoint a workspace of its own, and its parent what is different there', async () => {
      const state = checkpointRow(world, taskId);
      const isolated = { ...child(), base: state.id };
      const beside = child();
      await commit({ checkpoints: [state], children: [isolated, beside] });
      const own = await claimed(isolated.id, 1);
      expect((await world.store.load(own))?.task).toMatchObject({ workspaceId: isolated.id });
      const other = await claimed(beside.id, 1);
      expect((await world.store.load(other))?.task).toMatchObject({ workspaceId: taskId });
      const outcome = async (id: string) => (await world.store.children(taskId, [id]))[0];
      expect(await outcome(isolated.id)).toMatchObject({ changes: null, unsaved: false });
      const changes = { files: 1, insertions: 2, deletions: 0, list: [] };
      await commit(
        {
          checkpoints: [
            checkpointRow(world, isolated.id, { files: 0, insertions: 0, deletions: 0, list: [] }),
          ],
        },
        own,
      );
      await commit({ checkpoints: [checkpointRow(world, isolated.id, changes)] }, own);
      expect((await outcome(isolated.id))?.changes).toEqual(changes);
      expect((await outcome(beside.id))?.changes).toBeNull();
    });

    it('wakes a parent once, when the last of its children has ended', async () => {
      const leases = await suspended(3);
      for (const by of leases.slice(0, 2)) await commit({ end: { kind: 'finish', outcome: GOAL } }, by);
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting', wake: 1 });
      await commit({ end: { kind: 'finish', outcome: GOAL } }, leases[2]);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    it('wakes a parent once when all its children end at the same moment', async () => {
      const leases = await suspended(8);
      await Promise.all(leases.map((by) => commit({ end: { kind: 'finish', outcome: GOAL } }, by)));
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    it('does not suspend on children that have ended already', async () => {
      const born = child();
      await commit({ children: [born] });
      await commit({ end: { kind: 'finish', outcome: GOAL } }, await claimed(born.id, 1, 'worker_b'));
      expect(await commit({ end: suspendOn([born.id]) })).toMatchObject({ kind: 'not_suspended' });
      expect(await world.look(taskId)).toMatchObject({ state: 'running' });
      expect(await commit({ messages: [said(2)] })).toMatchObject({ kind: 'committed' });
    });

    it('loses no wake when children end while their parent suspends', async () => {
      for (let round = 0; round < 15; round += 1) {
        const parent = await claimed(await world.create(world.definition), 1);
        const born = child();
        await commit({ children: [born] }, parent);
        const own = await claimed(born.id, 1, 'worker_b');
        const [result] = await Promise.all([
          commit({ end: suspendOn([born.id]) }, parent),
          commit({ end: { kind: 'finish', outcome: GOAL } }, own),
        ]);
        const { state } = await world.look(parent.taskId);
        expect([result.kind, state]).toEqual(
          result.kind === 'not_suspended' ? ['not_suspended', 'running'] : ['committed', 'queued'],
        );
      }
    });

    it('wakes for the first of several, or for the first that succeeded, as the wait asks', async () => {
      const failed = {
        ...GOAL,
        state: 'failed',
        cause: 'error',
        failure: { cause: 'error', code: 'x', message: 'x' },
      } as const;
      const any = await suspended(2, 'any');
      await commit({ end: { kind: 'finish', outcome: failed } }, any[0]);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued' });

      taskId = await world.create(world.definition);
      lease = await claimed(taskId, 1);
      const success = await suspended(3, 'first_success');
      await commit({ end: { kind: 'finish', outcome: failed } }, success[0]);
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting' });
      await commit({ end: { kind: 'finish', outcome: GOAL } }, success[1]);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued' });
      // The third one ends later: the parent is not woken again.
      await commit({ end: { kind: 'finish', outcome: GOAL } }, success[2]);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    it('gives the outcomes of own children only, in the order asked', async () => {
      const leases = await suspended(2);
      await commit({ end: { kind: 'finish', outcome: GOAL } }, leases[0]);
      const ids = leases.map((by) => by.taskId).reverse();
      const outcomes = await world.store.children(taskId, [...ids, await world.create(world.definition)]);
      expect(outcomes.map(({ taskId: id, state, output }) => [id, state, output])).toEqual([
        [ids[0], 'running', null],
        [ids[1], 'completed', { done: true }],
      ]);
    });

    it.each([
      ['partial', 'Half of it.'],
      ['turn_limit', 'What I have so far.'],
      ['error', 'It began with'],
    ] as const)(
      'gives what a child saved that ended as failed (%s), text as it is',
      async (cause, output) => {
        const [own] = await suspended(1);
        const failure = { cause, code: cause, message: 'Not all of it.' };
        const outcome = { state: 'failed', cause, output, partial: true, failure } as const;
        await commit({ end: { kind: 'finish', outcome } }, own);
        expect(await world.look(taskId)).toMatchObject({ state: 'queued' });
        expect(await world.store.children(taskId, [own?.taskId ?? ''])).toMatchObject([outcome]);
      },
    );

    it.each(['partial', 'blocked'] as const)(
      'does not end as %s while a message waits: it may hold what was missing',
      async (cause) => {
        await world.send(taskId, 'Here it is.');
        const failure = { cause, code: cause, message: 'x' };
        const outcome = { ...GOAL, state: 'failed', cause, failure } as const;
        expect(await commit({ end: { kind: 'finish', outcome } })).toEqual({ kind: 'inbox_pending' });
        expect(await world.look(taskId)).toMatchObject({ state: 'running' });
      },
    );

    it('wakes the parent of a cancelled child', async () => {
      const born = child();
      await commit({ children: [born] });
      await commit({ end: suspendOn([born.id]) });
      await world.cancel(born.id);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    it('cancels the children that are left when their parent ends', async () => {
      const [queued, running] = [child(), child()];
      await commit({ children: [queued, running] });
      const own = await claimed(running.id, 1, 'worker_b');
      await commit({ end: { kind: 'finish', outcome: GOAL } });
      expect(await world.look(queued.id)).toMatchObject({ state: 'cancelled' });
      expect(await commit({}, own)).toMatchObject({ kind: 'committed', cancelRequested: true });
      const before = await world.look(taskId);
      await commit(
        { end: { kind: 'finish', outcome: { ...GOAL, state: 'cancelled', cause: 'cancelled' } } },
        own,
      );
      expect((await world.look(taskId)).events).toEqual(before.events);
    });

    it('does not reach the goal while a message is unread, but ends otherwise', async () => {
      await world.send(taskId, 'Wait!');
      expect(await commit({ messages: [said(2)], end: { kind: 'finish', outcome: GOAL } })).toEqual({
        kind: 'inbox_pending',
      });
      expect(await world.look(taskId)).toMatchObject({ state: 'running', messages: 1 });
      const [message] = await world.store.takeInbox(lease);
      expect(message?.text).toBe('Wait!');
      expect(await commit({ messages: [said(2)], consumedInbox: [message?.id ?? ''] })).toMatchObject({
        inboxPending: 0,
      });
      expect(await world.store.takeInbox(lease)).toEqual([]);
      expect(await commit({ end: { kind: 'finish', outcome: GOAL } })).toMatchObject({ kind: 'committed' });
    });

    it('ends with the outcome, the attempt and the events, and is never claimed or written again', async () => {
      await commit({ end: { kind: 'finish', outcome: GOAL } });
      const { events, state, cause } = await world.look(taskId);
      expect([state, cause]).toEqual(['completed', 'goal']);
      expect(events).toEqual([
        'task.created',
        'message.user',
        'task.status_changed',
        'attempt.started',
        'attempt.ended',
        'task.status_changed',
      ]);
      expect(await world.store.claim(taskId, 1, 'worker_b')).toBeNull();
      expect(await commit({ messages: [said(2)] })).toEqual({ kind: 'fenced' });
    });

    it('pauses what does not run at once, and lets nobody claim it before it is resumed', async () => {
      const other = await world.create(world.definition);
      await world.pause(other);
      expect(await world.look(other)).toMatchObject({ state: 'paused' });
      expect(await world.store.claim(other, 1, 'worker_b')).toBeNull();
      await world.resume(other);
      const { state, wake } = await world.look(other);
      expect(state).toBe('queued');
      expect(await world.store.claim(other, wake, 'worker_b')).not.toBeNull();
    });

    it('tells a running task of a pause with its next commit, starts no call then, and pauses it at the border', async () => {
      await world.pause(taskId);
      const message = said(2);
      const result = await commit({
        messages: [message],
        toolCalls: [called(message.id)],
        events: [{ type: 'tool.started', data: { callId: 'c', tool: 'act', turn: 1, arguments: null } }],
      });
      expect(result).toMatchObject({ kind: 'committed', pauseRequested: true });
      const stored = await world.look(taskId);
      expect(stored.calls).toEqual([{ status: 'generated', started: false }]);
      expect(stored.events).not.toContain('tool.started');
      expect(await commit({ end: { kind: 'pause' } })).toMatchObject({ kind: 'committed' });
      expect(await world.look(taskId)).toMatchObject({ state: 'paused' });
      expect(await commit({})).toEqual({ kind: 'fenced' });
    });

    it('pauses a task that gives itself back or suspends while a pause is requested, and its children with it', async () => {
      const born = child();
      await world.pause(taskId);
      await commit({ children: [born], end: { kind: 'yield' } });
      expect([(await world.look(taskId)).state, (await world.look(born.id)).state]).toEqual([
        'paused',
        'paused',
      ]);
      await world.resume(taskId);
      const { wake } = await world.look(taskId);
      expect((await world.look(born.id)).state).toBe('queued');

      lease = await claimed(taskId, wake);
      await world.pause(taskId);
      expect(await commit({ end: suspendOn([born.id]) })).toMatchObject({ kind: 'committed' });
      expect(await world.look(taskId)).toMatchObject({ state: 'paused' });
      await world.resume(taskId);
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting' });
    });

    it('keeps the wait of a paused task: a child that ends meanwhile wakes it at the resume and not before', async () => {
      const [own] = await suspended(1);
      await world.pause(taskId);
      await commit({ end: { kind: 'finish', outcome: GOAL } }, own);
      expect(await world.look(taskId)).toMatchObject({ state: 'paused', wake: 1 });
      await world.resume(taskId);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    it('takes a pause back that has not taken effect', async () => {
      await world.pause(taskId);
      await world.resume(taskId);
      expect(await commit({})).toMatchObject({ kind: 'committed', pauseRequested: false });
      expect(await world.look(taskId)).toMatchObject({ state: 'running' });
    });

    it('tells a running task of an interrupt until a step takes it back, and wakes one that waits', async () => {
      await world.interrupt(taskId, 'Stop that.');
      expect(await commit({})).toMatchObject({ interrupted: true, inboxPending: 1 });
      expect((await world.store.load(lease))?.task.interrupted).toBe(true);
      expect(await commit({ patch: { interrupted: false } })).toMatchObject({ interrupted: false });

      await suspended(1);
      await world.interrupt(taskId, 'Go on.');
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    describe('for people who steer', () => steeringCases(() => world));

    describe('for work modes', () => transitionCases(() => world));
    describe('for conversations that become too long', () => reductionCases(() => world));

    it('ends an attempt and begins the next one when the wait is over', async () => {
      const failure = { cause: 'error', code: 'model_failed', message: 'overloaded' } as const;
      const wait = { reason: 'backoff', mode: 'all', childIds: [], dueInMs: 60_000 } as const;
      const result = await commit({ end: { kind: 'retry', waitId: world.newId('wait'), wait, failure } });
      expect(result).toMatchObject({ kind: 'committed' });
      const stored = await world.look(taskId);
      expect(stored).toMatchObject({ state: 'waiting', attempt: 2, cause: null });
      expect(stored.events.slice(-2)).toEqual(['attempt.ended', 'task.status_changed']);
      await world.fireDue(taskId);
      const next = await claimed(taskId, 2);
      expect((await world.store.load(next))?.task).toMatchObject({ attempt: 2, retries: 1 });
    });

    it('keeps the whole of a capped output for later reading, within the task only', async () => {
      const message = said(2);
      const call = { ...called(message.id, 'done'), output: 'head…tail', fullOutput: 'head and tail' };
      await commit({ messages: [message], toolCalls: [call] });
      expect(await world.store.storedOutput(taskId, call.id)).toBe('head and tail');
      expect(await world.store.storedOutput(await world.create(world.definition), call.id)).toBeNull();
    });
  });
}

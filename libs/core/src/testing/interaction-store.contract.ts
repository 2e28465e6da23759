/** What every `TaskStore` must do with interactions: what waits for a person, and what an answer changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Autonomy, InteractionAnswer } from '@bullpen/contracts';
import { emptyStep } from '../turn/draft.js';
import type { Step, StepEnd } from '../ports/store.js';
import type { Lease, NewInteraction } from '../task/task.js';
import { calledRow, childRow, saidRow } from './contract-rows.js';
import type { TaskStoreHarness } from './store-harness.js';

/** What the suite needs beside that of the task store. */
export interface InteractionStoreHarness extends TaskStoreHarness {
  /** True when the answer counts. */
  answer(taskId: string, interactionId: string, answer: InteractionAnswer): Promise<boolean>;
  /** Lets the time of an interaction come. */
  expireInteraction(taskId: string, interactionId: string): Promise<void>;
  switchAutonomy(taskId: string, autonomy: Autonomy): Promise<void>;
  newId(prefix: 'msg' | 'call' | 'mcall' | 'wait' | 'task' | 'ask' | 'ckpt'): string;
}

const GOAL = { state: 'completed', cause: 'goal', output: 1, partial: false, failure: null } as const;
const APPROVE = { decision: 'approve' } as const;

export function interactionStoreContract(name: string, open: () => Promise<InteractionStoreHarness>): void {
  describe(`${name} as a store of interactions`, () => {
    let world: InteractionStoreHarness;
    let taskId: string;
    let lease: Lease;

    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.close());
    beforeEach(async () => {
      taskId = await world.create(world.definition);
      lease = await claimed(1);
    });

    async function claimed(wake: number): Promise<Lease> {
      const taken = await world.store.claim(taskId, wake, 'worker_a');
      if (!taken) throw new Error(`nothing to claim: ${taskId} wake ${wake}`);
      return taken;
    }
    const commit = (step: Partial<Step>, by = lease) => world.store.commit(by, { ...emptyStep(), ...step });
    const anAsk = (more: Partial<NewInteraction> = {}): NewInteraction => ({
      id: world.newId('ask'),
      kind: 'approval',
      callId: null,
      hash: 'h'.repeat(64),
      title: 'act',
      turn: 0,
      payload: { tool: 'act', arguments: { n: 1 }, reason: 'It acts.', rule: 'alwaysAllowExecute' },
      expiresInMs: null,
      expiryAnswer: null,
      ...more,
    });
    const waitFor = (ids: readonly string[]): StepEnd => ({
      kind: 'suspend',
      waitId: world.newId('wait'),
      wait: { reason: 'approval', mode: 'any', childIds: [], dueInMs: null, interactionIds: ids },
    });
    const asked = async (...asks: NewInteraction[]) => {
      await commit({ interactions: asks, end: waitFor(asks.map(({ id }) => id)) });
      return asks.map(({ id }) => id);
    };
    const interactions = async (by: Lease) => (await world.store.load(by))?.interactions;

    it('keeps what is asked, and wakes the waiting task with the answer, which counts once', async () => {
      const ask = anAsk();
      await asked(ask);
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting', wake: 1 });

      expect(await world.answer(taskId, ask.id, APPROVE)).toBe(true);
      expect(await world.answer(taskId, ask.id, { decision: 'deny' })).toBe(false);

      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
      const { id, kind, callId, hash, payload } = ask;
      const expected = [{ id, kind, callId, hash, payload, answer: APPROVE, answeredBy: expect.any(String) }];
      expect(await interactions(await claimed(2))).toEqual(expected);
      expect(await world.store.interactions(taskId)).toEqual(expected);
      expect((await world.look(taskId)).events).toContain('interaction.closed');
    });

    it('keeps an answer that comes before the task has come to wait', async () => {
      const ask = anAsk();
      await commit({ interactions: [ask] });
      expect(await world.answer(taskId, ask.id, APPROVE)).toBe(true);
      expect(await commit({ end: waitFor([ask.id]) })).toMatchObject({ kind: 'not_suspended' });
      expect(await world.look(taskId)).toMatchObject({ state: 'running', wake: 1 });
    });

    it('wakes with each of several answers, in whatever order they come', async () => {
      const [first = '', second = ''] = await asked(anAsk(), anAsk());
      await world.answer(taskId, second, APPROVE);
      const again = await claimed(2);
      expect((await interactions(again))?.map(({ answer }) => answer !== null)).toEqual([false, true]);
      await commit({ end: waitFor([first]) }, again);
      await world.answer(taskId, first, APPROVE);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 3 });
    });

    it('takes no answer to what was withdrawn, or whose task has ended', async () => {
      const withdrawn = anAsk();
      const left = anAsk();
      await commit({ interactions: [withdrawn, left] });
      await commit({ withdrawn: [withdrawn.id] });
      expect(await world.answer(taskId, withdrawn.id, APPROVE)).toBe(false);
      expect((await interactions(lease))?.map(({ id }) => id)).toEqual([left.id]);
      await commit({ end: { kind: 'finish', outcome: GOAL } });
      expect(await world.answer(taskId, left.id, APPROVE)).toBe(false);
    });

    it.each(['waiting', 'paused'])('tells of all that a cancel withdraws from a %s task', async (state) => {
      await asked(anAsk(), anAsk());
      if (state === 'paused') await world.pause(taskId);
      await world.cancel(taskId);
      const { events } = await world.look(taskId);
      expect(events.filter((type) => type === 'interaction.closed')).toHaveLength(2);
    });

    it('tells of what a rewind withdraws', async () => {
      await asked(anAsk());
      await world.pause(taskId);
      expect(await world.rewind(taskId, { turns: 1 })).not.toBeNull();
      expect((await world.look(taskId)).events).toContain('interaction.closed');
    });

    it('takes no answer to a cancelled task', async () => {
      const [id = ''] = await asked(anAsk());
      await world.cancel(taskId);
      expect(await world.answer(taskId, id, APPROVE)).toBe(false);
      expect(await world.look(taskId)).toMatchObject({ state: 'cancelled' });
    });

    it('keeps an answer for a paused task until it is resumed', async () => {
      const [id = ''] = await asked(anAsk());
      await world.pause(taskId);
      expect(await world.answer(taskId, id, APPROVE)).toBe(true);
      expect(await world.look(taskId)).toMatchObject({ state: 'paused', wake: 1 });
      await world.resume(taskId);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });

    it('answers by the declared default when the time has come', async () => {
      const expiry = { expiresInMs: 60_000, expiryAnswer: { decision: 'deny' } } as const;
      const [id = ''] = await asked(anAsk(expiry));
      await world.expireInteraction(taskId, id);
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
      expect(await world.store.interactions(taskId)).toMatchObject([
        { answer: { decision: 'deny' }, answeredBy: 'expiry' },
      ]);
    });

    it('gives a run the interactions of the present turn only', async () => {
      const message = saidRow(world, 2);
      await commit({ interactions: [anAsk()] });
      const next = anAsk({ turn: 1 });
      await commit({ messages: [message], patch: { turns: 1 }, interactions: [next] });
      expect((await interactions(lease))?.map(({ id }) => id)).toEqual([next.id]);
    });

    it('stores the arguments that a call really started with', async () => {
      const message = saidRow(world, 2, { stopReason: 'tool_use' });
      const call = calledRow(world, message.id, {
        status: 'generated',
        rawArguments: '{"n":1}',
        arguments: { n: 1 },
        startedAt: null,
        startedEpoch: null,
        sandbox: null,
      });
      await commit({ messages: [message], toolCalls: [call], patch: { turns: 1 } });
      await commit({ toolCalls: [{ ...call, status: 'calling', arguments: { n: 2 } }] });
      expect((await world.store.load(lease))?.toolCalls).toMatchObject([
        { rawArguments: '{"n":1}', arguments: { n: 2 }, status: 'calling' },
      ]);
    });

    it('switches the autonomy: what runs hears of it with its next step, what waits for a person looks again', async () => {
      await world.switchAutonomy(taskId, 'plan');
      expect(await commit({})).toMatchObject({ autonomy: 'plan', inboxPending: 1 });
      expect(await world.store.takeInbox(lease)).toMatchObject([{ source: 'notice' }]);
      await asked(anAsk());
      await world.switchAutonomy(taskId, 'background');
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
      expect((await world.store.load(await claimed(2)))?.task).toMatchObject({ autonomy: 'background' });
    });

    it('tells the autonomy again when a rewind takes away the message that told it', async () => {
      const message = saidRow(world, 2, { role: 'user', content: [{ type: 'text', text: 'Go on.' }] });
      await world.switchAutonomy(taskId, 'plan');
      const [notice] = await world.store.takeInbox(lease);
      const source = 'prompt' as const;
      await commit({
        messages: [message, saidRow(world, 3)],
        events: [{ type: 'message.user', data: { messageId: message.id, text: 'Go on.', source } }],
        consumedInbox: [notice?.id ?? ''],
      });
      const wait = { reason: 'message' as const, mode: 'any' as const, childIds: [], dueInMs: null };
      await commit({ end: { kind: 'suspend', waitId: world.newId('wait'), wait } });
      expect(await world.rewind(taskId, { turns: 1 })).toBe('Go on.');
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting' });
      expect(await world.rewind(taskId, { turns: 1 })).toEqual(expect.any(String));
      await world.send(taskId, 'Otherwise, then.');
      lease = await claimed(2);
      const inbox = await world.store.takeInbox(lease);
      expect(inbox).toMatchObject([{ source: 'notice', text: notice?.text }, { text: 'Otherwise, then.' }]);
      expect(await commit({ consumedInbox: inbox.map(({ id }) => id) })).toMatchObject({ inboxPending: 0 });
    });

    it('starts an accepted plan: autonomy and to-do list come with the answer', async () => {
      const plan = {
        kind: 'plan',
        payload: { version: 1, plan: 'Look, act.', steps: ['Look', 'Act'] },
      } as const;
      const [id = ''] = await asked(
        anAsk({ ...plan, payload: { ...plan.payload, steps: [...plan.payload.steps] } }),
      );
      expect(await world.answer(taskId, id, { decision: 'accept', autonomy: 'agent' })).toBe(true);
      expect((await world.store.load(await claimed(2)))?.task).toMatchObject({
        autonomy: 'agent',
        todos: [
          { text: 'Look', status: 'pending' },
          { text: 'Act', status: 'pending' },
        ],
      });
    });

    it('raises the limit of the whole tree with the answer about its budget', async () => {
      const payload = { turn: 0, limitUsd: '5', spentUsd: '0', neededUsd: '9' };
      const [id = ''] = await asked(anAsk({ kind: 'budget', payload }));
      expect(await world.answer(taskId, id, { decision: 'raise', limitUsd: '20' })).toBe(true);
      const next = await claimed(2);
      expect(await commit({ reserveNanoUsd: 15_000_000_000n }, next)).toMatchObject({ kind: 'committed' });
      expect(await commit({ reserveNanoUsd: 6_000_000_000n }, next)).toMatchObject({ kind: 'over_budget' });
    });

    it.each(['waiting', 'paused'])(
      'lets a %s task of the same tree look again that asks for what the tree was given',
      async (state) => {
        const budget = anAsk({
          kind: 'budget',
          payload: { turn: 0, limitUsd: '5', spentUsd: '0', neededUsd: '9' },
        });
        const born = childRow(world, world.definition);
        await commit({ children: [born] });
        const own = await world.store.claim(born.id, 1, 'worker_b');
        if (!own) throw new Error('the child cannot be claimed');
        const theirs = { ...budget, id: world.newId('ask') };
        await commit({ interactions: [theirs], end: waitFor([theirs.id]) }, own);
        await asked(budget);
        if (state === 'paused') await world.pause(born.id);

        await world.answer(taskId, budget.id, { decision: 'raise', limitUsd: '20' });

        if (state === 'paused') await world.resume(born.id);
        const after = await world.look(born.id);
        expect(after).toMatchObject({ state: 'queued', wake: 2 });
        expect(after.events).toContain('interaction.closed');
        expect(await world.answer(born.id, theirs.id, { decision: 'stop' })).toBe(false);
      },
    );

    it('lets a conversation wait for the next message, unless one is there', async () => {
      const wait = { reason: 'message', mode: 'any', childIds: [], dueInMs: null } as const;
      const end = (): StepEnd => ({ kind: 'suspend', waitId: world.newId('wait'), wait });
      await world.send(taskId, 'Early.');
      expect(await commit({ end: end() })).toMatchObject({ kind: 'not_suspended', inboxPending: 1 });
      const [early] = await world.store.takeInbox(lease);
      expect(await commit({ consumedInbox: [early?.id ?? ''], end: end() })).toMatchObject({
        kind: 'committed',
      });
      expect(await world.look(taskId)).toMatchObject({ state: 'waiting' });
      await world.send(taskId, 'Hello.');
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', wake: 2 });
    });
  });
}

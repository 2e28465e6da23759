/** The part of the store contract that is about the inbox, rollbacks and rewinds. */
import { beforeEach, expect, it } from '@jest/globals';
import { emptyStep } from '../turn/draft.js';
import type { Step } from '../ports/store.js';
import type { Lease, ToolCallRecord } from '../task/task.js';
import { calledRow, saidRow } from './contract-rows.js';
import type { TaskStoreHarness } from './store-harness.js';

export function steeringCases(worldOf: () => TaskStoreHarness): void {
  let world: TaskStoreHarness;
  let taskId: string;
  let lease: Lease;

  beforeEach(async () => {
    world = worldOf();
    taskId = await world.create(world.definition);
    lease = await claimed();
  });

  async function claimed(): Promise<Lease> {
    const { wake } = await world.look(taskId);
    const taken = await world.store.claim(taskId, wake, 'worker_a');
    if (!taken) throw new Error(`nothing to claim: ${taskId} wake ${wake}`);
    return taken;
  }
  const commit = (step: Partial<Step>) => world.store.commit(lease, { ...emptyStep(), ...step });
  const texts = async () => (await world.store.takeInbox(lease)).map(({ text }) => text);
  const said = (seq: number, role: 'user' | 'assistant', text: string) =>
    saidRow(world, seq, { turn: seq, role, content: [{ type: 'text', text }] });
  const called = (messageId: string, status: ToolCallRecord['status']) =>
    calledRow(world, messageId, { turn: 2, status });
  const awaitWord = () => ({
    kind: 'suspend' as const,
    waitId: world.newId('wait'),
    wait: { reason: 'message' as const, mode: 'any' as const, childIds: [], dueInMs: null },
  });
  /** The oldest message of the inbox is delivered and answered. */
  async function exchange(seq: number, text: string): Promise<void> {
    const [item] = await world.store.takeInbox(lease);
    const message = said(seq, 'user', text);
    const data = { messageId: message.id, text, source: 'steering' as const, inboxId: item?.id ?? '' };
    await commit({
      messages: [message, said(seq + 1, 'assistant', `Answer to ${text}`)],
      events: [{ type: 'message.user', data }],
      consumedInbox: [item?.id ?? ''],
    });
  }

  it('delivers messages in their order, as they were last changed, and none that was withdrawn', async () => {
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push(await world.send(taskId, text));
    expect(await world.change(taskId, ids[1] ?? '', 'TWO')).toBe('changed');
    expect(await world.change(taskId, ids[0] ?? '', null)).toBe('changed');
    expect(await texts()).toEqual(['TWO', 'three']);
    expect(await commit({})).toMatchObject({ inboxPending: 2 });
    expect((await world.look(taskId)).events.slice(-5)).toEqual([
      ...['message.queued', 'message.queued', 'message.queued', 'message.edited', 'message.withdrawn'],
    ]);
  });

  it('refuses to change a message from the moment on that a run has taken it to deliver it', async () => {
    const id = await world.send(taskId, 'as it was read');
    expect(await texts()).toEqual(['as it was read']);
    expect(await world.change(taskId, id, 'too late')).toBe('delivered');
    expect(await world.change(taskId, id, null)).toBe('delivered');
    await commit({ messages: [said(2, 'user', 'as it was read')], consumedInbox: [id] });
    expect(await world.change(taskId, id, null)).toBe('delivered');
    expect(await texts()).toEqual([]);
  });

  it('lets a message be changed again when the run that had taken it is lost', async () => {
    const id = await world.send(taskId, 'first');
    expect(await texts()).toEqual(['first']);
    await world.expire(taskId);
    expect(await world.change(taskId, id, 'second')).toBe('changed');
    expect(await texts()).toEqual([]); // The old lease takes nothing.
    lease = await claimed();
    expect(await texts()).toEqual(['second']);
  });

  it('gives each of many changes at the moment of the delivery one of two ends: seen by it, or refused', async () => {
    for (let round = 0; round < 10; round += 1) {
      const id = await world.send(taskId, 'old');
      const [[text], change] = await Promise.all([texts(), world.change(taskId, id, 'new')]);
      expect([text, change]).toEqual(change === 'changed' ? ['new', 'changed'] : ['old', 'delivered']);
      await commit({ consumedInbox: [id] });
    }
    expect(await commit({})).toMatchObject({ inboxPending: 0 });
  });

  it('takes a withdrawn message off what holds up the end', async () => {
    const id = await world.send(taskId, 'Wait!');
    const end = {
      kind: 'finish' as const,
      outcome: { state: 'completed', cause: 'goal', output: 1, partial: false, failure: null } as const,
    };
    expect(await commit({ end })).toEqual({ kind: 'inbox_pending' });
    await world.change(taskId, id, null);
    expect(await world.change(taskId, id, 'again')).toBe('withdrawn');
    expect(await commit({ end })).toMatchObject({ kind: 'committed' });
  });

  it('drops messages with a step: the rows stay, and the next one goes on counting', async () => {
    const answer = said(2, 'assistant', 'dropped');
    await commit({ messages: [answer], toolCalls: [called(answer.id, 'done')], patch: { turns: 1 } });
    await world.rollBack(taskId, 'Not that.');
    expect(await commit({})).toMatchObject({ interrupted: true, rollback: true, inboxPending: 1 });
    const [item] = await world.store.takeInbox(lease);
    await commit({
      dropFrom: 2,
      messages: [said(3, 'user', 'Not that.')],
      consumedInbox: [item?.id ?? ''],
      patch: { interrupted: false },
    });
    const snapshot = await world.store.load(lease);
    expect(snapshot?.messages.map(({ seq }) => seq)).toEqual([1, 3]);
    expect(snapshot).toMatchObject({ messageSeq: 3, toolCalls: [] });
    expect(snapshot?.task).toMatchObject({ interrupted: false, rollback: false });
    expect(await world.look(taskId)).toMatchObject({ messages: 3 });
  });

  it("waits for the user's word while it is interrupted, until there is one", async () => {
    await world.interrupt(taskId, 'unread');
    expect(await commit({ end: awaitWord() })).toMatchObject({ kind: 'not_suspended' });
    const [item] = await world.store.takeInbox(lease);
    await commit({ consumedInbox: [item?.id ?? ''] });
    expect(await commit({ end: awaitWord() })).toMatchObject({ kind: 'committed' });
    await world.send(taskId, 'the word');
    lease = await claimed();
    expect((await world.store.load(lease))?.task).toMatchObject({ interrupted: true, inboxPending: 1 });
  });

  it('rewinds a conversation that waits for its user, exchange by exchange, down to nothing', async () => {
    await commit({ messages: [said(2, 'assistant', 'Hello.')] });
    await world.send(taskId, 'first');
    await exchange(3, 'first');
    await world.send(taskId, 'second');
    await exchange(5, 'second');
    expect(await world.rewind(taskId, { turns: 1 })).toBeNull(); // It runs.
    await commit({ end: awaitWord() });
    expect(await world.rewind(taskId, { turns: 4 })).toBeNull();
    expect(await world.rewind(taskId, { turns: 1 })).toBe('second');
    expect((await world.look(taskId)).events.at(-1)).toBe('history.rewound');
    await world.send(taskId, 'third');
    lease = await claimed();
    expect((await world.store.load(lease))?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await exchange(7, 'third');
    await commit({ end: awaitWord() });
    expect(await world.rewind(taskId, { turns: 3 })).toEqual(expect.any(String));
    expect(await world.look(taskId)).toMatchObject({ state: 'waiting', messages: 8 });
    await world.send(taskId, 'from the beginning');
    lease = await claimed();
    expect(await world.store.load(lease)).toMatchObject({ messages: [], messageSeq: 8 });
  });

  it('rewinds answer by answer, and what failed only down to its beginning', async () => {
    const calls = said(2, 'assistant', 'calls');
    await commit({ messages: [calls], patch: { turns: 1 } });
    await commit({
      messages: [said(3, 'user', 'results'), said(4, 'assistant', 'refused')],
      patch: { turns: 2 },
    });
    const failure = { cause: 'error' as const, code: 'model_failed', message: 'Refused.' };
    const outcome = {
      state: 'failed' as const,
      cause: 'error' as const,
      output: null,
      partial: false,
      failure,
    };
    await commit({ end: { kind: 'finish', outcome } });
    expect(await world.rewind(taskId, { turns: 1 })).toBeNull();
    expect(await world.rewind(taskId, { answers: 3 })).toBeNull();
    expect(await world.rewind(taskId, { answers: 1 })).toBe('');
    expect(await world.look(taskId)).toMatchObject({ state: 'failed', messages: 4 });
    expect((await world.look(taskId)).events.at(-1)).toBe('history.rewound');
    expect(await world.rewind(taskId, { answers: 1 })).toBe('');
    expect(await world.rewind(taskId, { answers: 1 })).toBeNull();
  });

  it('goes on with a message after any end: the same conversation, a new attempt, and nothing left of the old end', async () => {
    const ends = [
      { state: 'completed', cause: 'goal', output: 1, partial: false, failure: null },
      { state: 'cancelled', cause: 'cancelled', output: null, partial: false, failure: null },
      {
        state: 'failed',
        cause: 'error',
        output: 'half',
        partial: true,
        failure: { cause: 'error', code: 'x', message: 'It broke.' },
      },
    ] as const;
    for (const [round, outcome] of ends.entries()) {
      if (outcome.state === 'cancelled') await world.cancel(taskId);
      await commit({ messages: [said(2 + round * 2, 'assistant', 'So.')], end: { kind: 'finish', outcome } });
      expect(await world.look(taskId)).toMatchObject({ state: outcome.state, cause: outcome.cause });
      await world.send(taskId, 'And now?');
      expect(await world.look(taskId)).toMatchObject({ state: 'queued', cause: null, attempt: round + 2 });
      lease = await claimed();
      const snapshot = await world.store.load(lease);
      expect(snapshot?.messages.map(({ seq }) => seq)).toHaveLength(2 + round * 2);
      expect(snapshot?.task).toMatchObject({ inboxPending: 1, cancelRequested: false, phase: 'work' });
      const [item] = await world.store.takeInbox(lease);
      expect(item).toMatchObject({ text: 'And now?', source: outcome.state });
      await commit({ messages: [said(3 + round * 2, 'user', 'And now?')], consumedInbox: [item?.id ?? ''] });
    }
  });

  it('ends what a dropped exchange of a paused task left open', async () => {
    await commit({ messages: [said(2, 'assistant', 'Hello.')] });
    await world.send(taskId, 'do it');
    await exchange(3, 'do it');
    const answer = said(5, 'assistant', 'calls');
    await commit({ messages: [answer], toolCalls: [called(answer.id, 'generated')], patch: { turns: 1 } });
    await world.pause(taskId);
    await commit({ end: { kind: 'pause' } });
    expect(await world.rewind(taskId, { turns: 1 })).toBe('do it');
    expect((await world.look(taskId)).calls).toMatchObject([{ status: 'canceled' }]);
    await world.resume(taskId);
    lease = await claimed();
    const snapshot = await world.store.load(lease);
    expect(snapshot?.messages.map(({ seq }) => seq)).toEqual([1, 2]);
    expect(snapshot).toMatchObject({ messageSeq: 5, toolCalls: [] });
  });
}

/** The part of the store contract that is about conversations that are made shorter. */
import { expect, it } from '@jest/globals';
import type { Reduction } from '@bullpen/contracts';
import { emptyStep } from '../turn/draft.js';
import type { Step } from '../ports/store.js';
import type { Lease, ModelCallRecord } from '../task/task.js';
import { calledRow, childRow, saidRow } from './contract-rows.js';
import type { TaskStoreHarness } from './store-harness.js';

const AT = new Date('2026-01-02T03:04:05.678Z');

export function reductionCases(open: () => TaskStoreHarness): void {
  async function begun() {
    const world = open();
    const taskId = await world.create({ ...world.definition, conversation: true });
    let lease: Lease | null = await world.store.claim(taskId, 1, 'worker_a');
    const held = (): Lease => {
      if (!lease) throw new Error(`${taskId} is not claimed`);
      return lease;
    };
    return {
      ...{ world, taskId },
      commit: (step: Partial<Step>) => world.store.commit(held(), { ...emptyStep(), ...step }),
      load: () => world.store.load(held()),
      said: (seq: number, role: 'user' | 'assistant', text: string, reduction?: Reduction) =>
        saidRow(world, seq, { role, content: [{ type: 'text', text }], ...(reduction && { reduction }) }),
      again: async () => {
        lease = await world.store.claim(taskId, (await world.look(taskId)).wake, 'worker_b');
      },
    };
  }
  const reduction: Reduction = {
    kind: 'condense',
    fromSeq: 2,
    toSeq: 3,
    modelCallId: 'mcall_1',
    forcedBy: null,
  };

  it('keeps what makes a conversation shorter beside all that was said, until a rewind drops it', async () => {
    const { world, taskId, commit, load, said, again } = await begun();
    await commit({ messages: [said(2, 'assistant', 'Hello.')] });
    await world.send(taskId, 'second');
    const [item] = await world.store.takeInbox(
      (await load()) ? { taskId, epoch: 1, workerId: 'worker_a' } : (undefined as never),
    );
    const asked = said(3, 'user', 'second');
    const data = {
      messageId: asked.id,
      text: 'second',
      source: 'steering' as const,
      inboxId: item?.id ?? '',
    };
    await commit({
      messages: [asked],
      events: [{ type: 'message.user', data }],
      consumedInbox: [item?.id ?? ''],
    });
    await commit({ messages: [said(4, 'user', 'a record', reduction), said(5, 'assistant', 'Answered.')] });
    const rows = (await load())?.messages ?? [];
    expect(rows.map(({ seq, reduction: one }) => [seq, one ?? null])).toEqual([
      [1, null],
      [2, null],
      [3, null],
      [4, reduction],
      [5, null],
    ]);
    const wait = { reason: 'message', mode: 'any', childIds: [], dueInMs: null } as const;
    await commit({ end: { kind: 'suspend', waitId: world.newId('wait'), wait } });
    expect(await world.rewind(taskId, { turns: 1 })).toBe('second');
    await world.send(taskId, 'third');
    await again();
    expect((await load())?.messages.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  it('stays when only the answer after it is dropped', async () => {
    const { world, taskId, commit, load, said, again } = await begun();
    await commit({
      messages: [
        said(2, 'assistant', 'one'),
        said(3, 'user', 'go on'),
        said(4, 'assistant', 'two'),
        said(5, 'user', 'go on'),
      ],
    });
    await commit({ messages: [said(6, 'user', 'a record', reduction), said(7, 'assistant', 'three')] });
    const wait = { reason: 'message', mode: 'any', childIds: [], dueInMs: null } as const;
    await commit({ end: { kind: 'suspend', waitId: world.newId('wait'), wait } });
    await world.rewind(taskId, { answers: 1 });
    await world.send(taskId, 'third');
    await again();
    expect((await load())?.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('gives back the calls of a summary that came to nothing, and not those that wrote one', async () => {
    const { world, commit, load } = await begun();
    const call = (status: ModelCallRecord['status'], attempt: number): ModelCallRecord => ({
      ...{
        id: world.newId('mcall'),
        turn: 1,
        attempt,
        taskAttempt: 1,
        phase: 'condense',
        profile: 'claude-sonnet-5-5',
        context: null,
        firstByteMs: null,
        firstTextMs: null,
        model: 'claude-sonnet-5-5',
        status,
      },
      ...{
        requestHash: 'hash',
        requestMessages: 1,
        reservedNanoUsd: 0n,
        providerRequestId: null,
        stopReason: null,
      },
      ...{
        errorClass: null,
        errorMessage: null,
        retryDelayMs: null,
        startedAt: AT,
        endedAt: status === 'started' ? null : AT,
      },
    });
    const failed = { ...call('failed', 1), errorClass: 'summary' };
    const started = call('started', 3);
    await commit({ modelCalls: [failed, call('done', 2), started] });
    const kept = (await load())?.modelCalls.map(({ id, phase, errorClass }) => [id, phase, errorClass]);
    expect(kept).toEqual([
      [failed.id, 'condense', 'summary'],
      [started.id, 'condense', null],
    ]);
    await commit({ modelCalls: [{ ...started, status: 'abandoned', endedAt: AT }] });
  });

  it('knows the work in hand: the words of the user that still count, and subtasks by their ids', async () => {
    const { world, taskId, commit, said } = await begun();
    const child = childRow(world, world.definition);
    const heard = said(2, 'user', 'and mind the gap');
    await commit({
      messages: [heard],
      events: [
        { type: 'message.user', data: { messageId: heard.id, text: 'and mind the gap', source: 'steering' } },
        { type: 'message.user', data: { messageId: heard.id, text: 'Continue.', source: 'harness' } },
      ],
      children: [child],
    });
    const work = await world.store.workInHand(taskId);
    expect(work.requests.map(({ text }) => text)).toEqual([expect.any(String), 'and mind the gap']);
    expect(work.requests[1]?.messageId).toBe(heard.id);
    expect(work.children).toEqual([{ id: child.id, title: 'Part', state: 'queued' }]);
    expect(work.processes).toEqual([]);
  });

  it('gives an output by the id that the model gave its call', async () => {
    const { world, taskId, commit, said } = await begun();
    const message = said(2, 'assistant', 'calls');
    const call = calledRow(world, message.id, {
      toolUseId: 'toolu_1',
      status: 'done',
      output: 'head…',
      fullOutput: 'head and tail',
    });
    await commit({ messages: [message], toolCalls: [call] });
    expect(await world.store.storedOutput(taskId, 'toolu_1')).toBe('head and tail');
  });
}

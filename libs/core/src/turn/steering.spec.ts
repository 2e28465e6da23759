import { beforeEach, describe, expect, it } from '@jest/globals';
import { historyProblems, runTask, type ToolOutcome } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { countingTool, crashAt, World } from '../../test/loop-world.js';

describe('a person who steers', () => {
  let world: World;
  let stop: AbortController;
  const run = async () => {
    const lease = await world.store.claimNext('worker_1');
    if (!lease) throw new Error('nothing to claim');
    return runTask(lease, world.deps(), stop.signal);
  };
  /** Two answers of the model are streamed with this in between: it happens before the first piece of the next one. */
  const duringNextAnswer = (what: () => void) => {
    const stream = world.model.stream.bind(world.model);
    world.model.stream = (request, signal, maySend) => {
      world.model.stream = stream;
      what();
      return stream(request, signal, maySend);
    };
  };
  const conversation = (task: MemoryTask) => task.messages.filter(({ id }) => !task.dropped.has(id));
  const lastRequest = () => world.model.requests.at(-1)?.messages ?? [];
  const lastText = () => JSON.stringify(lastRequest().at(-1));
  const chat = { autonomy: 'chat' as const, tools: [] };

  beforeEach(() => {
    world = new World();
    stop = new AbortController();
  });

  describe('by a rollback', () => {
    /** A tool whose first run is cut off by a rollback. */
    const takenBack = (texts: readonly string[]) =>
      countingTool('act', 'execute', 'report', (): ToolOutcome => {
        for (const text of texts) world.store.interrupt('task_root', { id: `inbox_${text}`, text }, true);
        stop.abort('requested');
        return { kind: 'result', output: 'cut', isError: true };
      });

    it('drops the turn under way, and names what had run of it with the message', async () => {
      const act = takenBack(['Differently.']);
      world.tools = [world.read, act];
      const task = world.submit(
        {},
        { toolCalls: [{ name: 'read', input: { n: 1 } }] },
        {
          toolCalls: [{ name: 'read', input: { n: 2 } }, { name: 'act', input: { n: 3 } }, { name: 'read' }],
        },
        { text: 'Differently, then.' },
      );
      expect(await run()).toEqual({ kind: 'yielded' });
      await world.drain();
      world.model.assertDone();
      expect(task.outcome).toMatchObject({ state: 'completed', output: 'Differently, then.' });
      expect(act.runs).toHaveLength(1);
      // Prompt, first call, its result, the message: the second answer was never there.
      expect(lastRequest().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user']);
      expect(lastText()).toContain('Differently.');
      expect(lastText()).toMatch(/read \{\\"n\\":2\}: done/);
      expect(lastText()).toMatch(/act \{\\"n\\":3\}: stopped while it ran/);
      expect(lastText().match(/- read/g)).toHaveLength(1); // The last call had not begun.
      expect(task.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect([...task.dropped]).toEqual([task.messages[3]?.id]);
      expect(historyProblems(conversation(task).slice(0, -1))).toEqual([]);
      expect(task.events).toContainEqual({
        type: 'history.rewound',
        data: { reason: 'rollback', messageIds: [task.messages[3]?.id] },
      });
      expect(task.record).toMatchObject({ interrupted: false, rollback: false, turns: 3 });
    });

    it('has nothing to drop while an answer is only being streamed', async () => {
      const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'never' }, { text: 'Done.' });
      let calls = 0;
      const stream = world.model.stream.bind(world.model);
      world.model.stream = (request, signal, maySend) => {
        calls += 1;
        if (calls === 2) {
          world.store.interrupt('task_root', { id: 'inbox_1', text: 'Stop here.' }, true);
          stop.abort('requested');
        }
        return stream(request, signal, maySend);
      };
      expect(await run()).toEqual({ kind: 'yielded' });
      await world.drain();
      expect(task.dropped.size).toBe(0);
      expect(lastRequest().map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user']);
      expect(lastText()).toContain('Stop here.');
      expect(task.outcome?.state).toBe('completed');
    });

    it('takes a wait for an answer back, and withdraws the question', async () => {
      const task = world.submit(
        { autonomy: 'agent', tools: ['ask_user'] },
        { toolCalls: [{ name: 'ask_user', input: { question: 'Which?' } }] },
        { text: 'Then so.' },
      );
      expect(await run()).toEqual({ kind: 'waiting' });
      world.store.interrupt('task_root', { id: 'inbox_1', text: 'Do not ask.' }, true);
      await world.drain();
      expect(task.interactions).toMatchObject([{ withdrawn: true, answer: null }]);
      expect(lastRequest().map(({ role }) => role)).toEqual(['user', 'user']);
      expect(task.outcome?.output).toBe('Then so.');
    });

    it('is done once the task is resumed, when it was paused before', async () => {
      const act = countingTool('act', 'execute', 'report', (): ToolOutcome => {
        world.store.pause('task_root');
        world.store.interrupt('task_root', { id: 'inbox_1', text: 'Back.' }, true);
        stop.abort('requested');
        return { kind: 'result', output: 'cut', isError: true };
      });
      world.tools = [act];
      const task = world.submit({ tools: ['act'] }, { toolCalls: [{ name: 'act' }] }, { text: 'I am back.' });
      expect(await run()).toEqual({ kind: 'paused' });
      expect(task.dropped.size).toBe(0);
      world.store.resume('task_root');
      await world.drain();
      expect(task.dropped.size).toBe(1);
      expect(task.outcome?.output).toBe('I am back.');
    });

    it('survives a crash at any step of it', async () => {
      for (let step = 1; step < 12; step += 1) {
        world = new World();
        stop = new AbortController();
        world.tools = [world.read, takenBack(['Differently.'])];
        const task = world.submit({}, { toolCalls: [{ name: 'act' }] }, { text: 'a' }, { text: 'a' });
        await run();
        // The step may have been stored or not: both must do.
        crashAt(world.store, step, step % 2 === 0 ? 'after' : 'before');
        await world.drain().catch(() => world.store.expire('task_root'));
        await world.drain();
        expect(task.outcome).toMatchObject({ state: 'completed', output: 'a' });
        expect(JSON.stringify(task.messages).match(/Differently\./g)).toHaveLength(1);
        expect(historyProblems(conversation(task).slice(0, -1))).toEqual([]);
      }
    });
  });

  describe('in a conversation', () => {
    it('stops an answer without a word: nothing of it is stored, and the user has the word', async () => {
      const task = world.submit(chat, { text: 'a long story' }, { text: 'Short.' });
      duringNextAnswer(() => {
        world.store.interrupt('task_root');
        stop.abort('requested');
      });
      expect(await run()).toEqual({ kind: 'yielded' });
      expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
      expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'message' } });
      expect(task.messages).toHaveLength(1);
      world.store.send('task_root', { id: 'inbox_1', text: 'In short, please.' });
      await world.drain();
      world.model.assertDone();
      expect(task).toMatchObject({ state: 'waiting', record: { interrupted: false } });
      expect(lastText()).toContain('In short, please.');
    });

    it('does not begin the stopped answer again when the next word is withdrawn before it is read', async () => {
      const task = world.submit(chat, { text: 'a long story' });
      duringNextAnswer(() => {
        world.store.interrupt('task_root');
        stop.abort('requested');
      });
      await run();
      await world.drain();
      const asked = world.model.requests.length;
      world.store.send('task_root', { id: 'inbox_1', text: 'no, wait' });
      world.store.changeMessage('task_root', 'inbox_1', null);
      expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
      expect(world.model.requests).toHaveLength(asked);
      expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'message' } });
    });

    it('stops a tool likewise, and tells the model of that with the next word', async () => {
      const act = countingTool('act', 'execute', 'report', (): ToolOutcome => {
        world.store.interrupt('task_root');
        stop.abort('requested');
        return { kind: 'result', output: 'cut', isError: true };
      });
      world.tools = [act];
      const task = world.submit(
        { tools: ['act'], conversation: true },
        { toolCalls: [{ name: 'act' }] },
        { text: 'Left.' },
      );
      await run();
      expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
      world.store.send('task_root', { id: 'inbox_1', text: 'Leave it.' });
      await world.drain();
      expect(lastText()).toContain('act was interrupted while it ran');
      expect(lastText()).toContain('Leave it.');
      expect(task.record.mistakes).toBe(0);
      expect(act.runs).toHaveLength(1);
    });

    it('ends at its deadline, though the user has the word', async () => {
      const task = world.submit(chat, { text: 'Hello.' }, { text: 'In sum: hello.' });
      await world.drain();
      task.record.deadlineAt = new Date(world.clock);
      world.store.interrupt('task_root'); // As the reconciler does.
      await world.drain();
      expect(task.outcome).toMatchObject({ state: 'failed', cause: 'deadline', output: 'In sum: hello.' });
    });

    it('goes on from where it was rewound to, also from nothing', async () => {
      const task = world.submit(
        chat,
        { text: 'Hello.' },
        { text: 'Rome.' },
        { text: 'Paris.' },
        { text: 'Hi.' },
      );
      await world.drain();
      world.store.send('task_root', { id: 'inbox_1', text: 'Capital of Italy?' });
      await world.drain();
      expect(world.store.rewind('task_root', { messageId: 'inbox_1' })).toMatchObject({ ok: true });
      world.store.send('task_root', { id: 'inbox_2', text: 'Capital of France?' });
      await world.drain();
      expect(lastRequest()).toHaveLength(3);
      expect(JSON.stringify(lastRequest())).not.toContain('Italy');
      expect(task.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);

      expect(world.store.rewind('task_root', { turns: 2 })).toMatchObject({ ok: true, text: 'Do it.' });
      world.store.send('task_root', { id: 'inbox_3', text: 'Hi?' });
      await world.drain();
      expect(lastRequest()).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hi?' }] }]);
      expect(task.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    });

    it('waits for a word when everything was taken back from a paused task and it is resumed', async () => {
      const task = world.submit({ tools: [] }, { text: 'Fine.' });
      world.store.pause('task_root');
      expect(world.store.rewind('task_root', { turns: 1 })).toMatchObject({ ok: true });
      world.store.wakes.splice(0);
      world.store.resume('task_root');
      expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
      world.store.send('task_root', { id: 'inbox_1', text: 'Do this instead.' });
      await world.drain();
      expect(task.outcome?.output).toBe('Fine.');
      expect(lastText()).toBe(
        JSON.stringify({ role: 'user', content: [{ type: 'text', text: 'Do this instead.' }] }),
      );
    });
  });

  it.each([
    ['completed', 'Your work had ended. The user goes on with this message:\nNow add tests.'],
    ['failed', /^Your work had broken off with a failure\. .*:\nNow add tests\.$/],
    ['cancelled', /^The user had cancelled your work, .*:\nNow add tests\.$/],
  ] as const)('is told apart from one who lets a task go on that is %s', async (state, text) => {
    const task = world.submit(
      {},
      state === 'failed' ? { error: { class: 'request', message: 'no' } } : { text: 'Done.' },
      {
        text: 'Tests, too.',
      },
    );
    if (state !== 'cancelled') await run();
    world.store.requestCancel('task_root');
    world.store.wakes.length = 0;
    expect(task.state).toBe(state);
    world.store.goOn('task_root', { id: 'inbox_1', text: 'Now add tests.' });
    world.store.send('task_root', { id: 'inbox_2', text: 'Quickly.' });
    await run();
    const [told, steered] = task.messages.findLast(({ role }) => role === 'user')?.content ?? [];
    expect(told).toMatchObject({ text: typeof text === 'string' ? text : expect.stringMatching(text) });
    expect(steered).toMatchObject({ text: 'Message from the user while you work:\nQuickly.' });
  });
});

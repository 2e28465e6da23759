/** Ends of answers, as providers and those between us and them have been seen to write them. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { cutsInARow, historyProblems, type StoredMessage } from '@bullpen/core';
import { CONTINUE_REQUEST } from '../task/answer-end.js';
import { aDefinition, type ScriptedAnswer } from '@bullpen/testing';
import { results, World } from '../../test/loop-world.js';

let world: World;
beforeEach(() => {
  world = new World();
});

const UNKNOWN = [
  'length',
  'content_filter',
  'model_context_window_exceeded',
  'unreadable',
  'max_tokens',
  'pause_turn',
  'compaction',
];
const cut = (text: string, stopReason = 'length'): ScriptedAnswer => ({ text, stopReason });

describe('an answer whose end is not known to be good', () => {
  it.each(UNKNOWN)('goes on when it stopped with "%s", and its parts are one result', async (reason) => {
    const task = world.submit({}, cut('The list has ten entries: one, tw', reason), { text: 'o, three.' });
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({
      state: 'completed',
      output: 'The list has ten entries: one, two, three.',
    });
  });

  it.each(UNKNOWN)('is partial, and a failure, when "%s" comes again and again', async (reason) => {
    const task = world.submit({}, cut('a', reason), cut('b', reason), cut('c', reason), cut('d', reason));
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'error',
      output: 'abcd',
      partial: true,
      failure: { code: 'answer_cut', message: expect.stringContaining(reason) },
    });
  });

  it('is bounded likewise when the stream never says why it ended', async () => {
    const broken: ScriptedAnswer = { text: 'ab', cutAfterChunks: 5 };
    const task = world.submit({}, broken, broken, broken, broken);
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({ state: 'failed', partial: true, failure: { code: 'answer_cut' } });
  });

  it('runs none of its calls, tells the model so, and counts no mistake', async () => {
    const act = { toolCalls: [{ name: 'act' }] };
    const task = world.submit({}, { ...act, stopReason: 'length' }, act, { text: 'Done.' });
    await world.drain();
    world.model.assertDone();
    expect(world.act.runs).toHaveLength(1);
    expect(results(task, 3)).toMatchObject([{ error: true, text: expect.stringContaining('was not run') }]);
    expect(task).toMatchObject({ state: 'completed', record: { mistakes: 0 } });
  });

  it('ends the task when calls are cut again and again', async () => {
    const act = { toolCalls: [{ name: 'act' }], stopReason: 'max_tokens' };
    const task = world.submit({}, act, act, act, act);
    await world.drain();
    expect(world.act.runs).toHaveLength(0);
    expect(task.outcome).toMatchObject({ state: 'failed', output: null, failure: { code: 'answer_cut' } });
  });

  it('says that it asks for tools and asks for none: it is cut, too', async () => {
    const task = world.submit(
      {},
      { text: 'I will look: ', stopReason: 'tool_use' },
      { text: 'nothing there.' },
    );
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'I will look: nothing there.' });
  });

  it('keeps its first part when the answer after it was empty', async () => {
    const task = world.submit({}, cut('Part one, '), { text: '' }, { text: 'part two.' });
    await world.drain();
    expect(task.outcome?.output).toBe('Part one, part two.');
  });

  it('is no result in an extraction either', async () => {
    const outputSchema = { type: 'object' } as const;
    const task = world.submit({ outputSchema }, { text: 'Done.' }, cut('{"a":1'), { text: '}' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: { a: 1 } });
  });

  it('begins a new count with a word of the user, as with another attempt that somebody asked for', () => {
    const message = (seq: number, role: 'user' | 'assistant', text: string): StoredMessage => ({
      id: `msg_${seq}`,
      seq,
      turn: seq,
      role,
      content: [{ type: 'text', text }],
      stopReason: role === 'assistant' ? 'length' : null,
    });
    const cuts = [
      message(1, 'user', 'Go.'),
      message(2, 'assistant', 'a'),
      message(3, 'user', CONTINUE_REQUEST),
      message(4, 'assistant', 'b'),
    ];
    expect(cutsInARow(cuts)).toBe(2);
    const retried = [...cuts, message(5, 'user', 'Try again.'), message(6, 'assistant', 'c')];
    expect(cutsInARow(retried)).toBe(1);
  });
});

describe('an answer that only thinks', () => {
  const thinking: ScriptedAnswer = { reasoning: 'Hm.' };

  it.each([false, true])(
    'is empty, and gets one request to say something (conversation: %s)',
    async (conversation) => {
      const task = world.submit({ conversation }, thinking, { text: 'Now with words.' });
      await world.drain();
      world.model.assertDone();
      expect(task.messages.at(-1)?.content).toEqual([{ type: 'text', text: 'Now with words.' }]);
      if (!conversation) expect(task.outcome?.output).toBe('Now with words.');
      expect(task.usage).toHaveLength(2);
    },
  );

  it('never leaves thinking last in what the model is sent', async () => {
    world.submit({}, { text: 'Look', reasoning: 'Hm.', stopReason: 'length' }, { text: 'ing.' });
    await world.drain();
    const last = world.model.requests.at(-1);
    expect(last && historyProblems(last.messages)).toEqual([]);
  });

  it('ends the task after three in a row, whatever the mistakes before', async () => {
    const task = world.submit({}, thinking, thinking, thinking);
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'mistakes' });
  });
});

describe('the usage of an answer', () => {
  it.each([
    ['says nothing of the prompt', { inputTokens: 0 }],
    ['says nothing of the output', { outputTokens: 0 }],
  ])('is estimated and marked where the provider %s', async (_, usage) => {
    const task = world.submit({}, { text: 'Done. '.repeat(50), usage });
    await world.drain();
    const [record] = task.usage;
    expect(record).toMatchObject({ estimated: true });
    expect(record?.usage.inputTokens).toBeGreaterThan(0);
    expect(record?.usage.outputTokens).toBeGreaterThan(19);
  });

  it("is the provider's where it can be true", async () => {
    const task = world.submit({}, { text: 'Done.', usage: { inputTokens: 0, cacheReadTokens: 90 } });
    await world.drain();
    expect(task.usage).toMatchObject([
      { estimated: false, usage: { cacheReadTokens: 90, outputTokens: 20 } },
    ]);
  });
});

describe('mistakes', () => {
  const fail = { toolCalls: [{ name: 'read', rawArguments: '[' }] };

  it('are too many after six failures in a row', async () => {
    const task = world.submit({}, ...Array.from({ length: 6 }, () => fail));
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'mistakes' });
  });

  it('are too many when every second call fails, however often one succeeds', async () => {
    const turns = Array.from({ length: 10 }, (_, n) => [
      fail,
      { toolCalls: [{ name: 'read', input: { n } }] },
    ]);
    const task = world.submit({}, ...turns.flat());
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'mistakes' });
    expect(world.read.runs).toHaveLength(9);
  });

  it('are forgiven when one call in three fails', async () => {
    const good = (n: number) => ({ toolCalls: [{ name: 'read', input: { n } }] });
    const turns = Array.from({ length: 30 }, (_, n) => [fail, good(2 * n), good(2 * n + 1)]);
    const task = world.submit({ limits: { ...aDefinition().limits, turns: 500 } }, ...turns.flat(), {
      text: 'Done.',
    });
    await world.drain();
    expect(task.state).toBe('completed');
  });

  it('of one turn are told to the agent before they end its task', async () => {
    const all = { toolCalls: Array.from({ length: 8 }, () => ({ name: 'read', rawArguments: '[' })) };
    const task = world.submit({}, all, { text: 'I see.' });
    await world.drain();
    expect(task.state).toBe('completed');
  });
});

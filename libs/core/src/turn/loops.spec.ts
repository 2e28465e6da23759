/** What becomes of an agent that goes round in circles: it is told, then stopped, or a person is asked. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { aDefinition, type ScriptedStep } from '@bullpen/testing';
import { countingTool, crashAt, results, World } from '../../test/loop-world.js';

const again: ScriptedStep = { toolCalls: [{ name: 'read', input: { path: 'a' } }] };
const rounds = (count: number) => Array.from({ length: count }, () => again);
const CHANT = 'I will now look at the file again. '.repeat(50);

let world: World;
const open = () =>
  world.store.get('task_root').interactions.filter(({ answer, withdrawn }) => answer === null && !withdrawn);
beforeEach(() => {
  world = new World();
});

describe('an agent that loops', () => {
  it('is told at the third time, and in the background its task fails with the reason loop', async () => {
    const task = world.submit({ autonomy: 'background' }, ...rounds(5));
    await world.drain();
    world.model.assertDone();
    expect(world.read.runs).toHaveLength(2);
    expect(results(task, 7)).toMatchObject([{ error: true, text: expect.stringContaining('Not run') }]);
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'loop', failure: { code: 'loop' } });
  });

  it('may go on when it does something else', async () => {
    const task = world.submit({ autonomy: 'background' }, ...rounds(4), { text: 'It is empty.' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'It is empty.' });
  });

  it('ends in the same way wherever a crash comes between', async () => {
    for (let at = 1; at < 60; at += 1) {
      const other = new World();
      const task = other.submit({ autonomy: 'background' }, ...rounds(5));
      const commits = crashAt(other.store, at, 'after');
      await other.drain().catch(() => undefined);
      if (commits() < at) return;
      if (task.outcome === null) {
        other.store.expire('task_root');
        await other.drain();
      }
      expect(task.outcome).toMatchObject({ state: 'failed', cause: 'loop' });
      expect(other.read.runs.length).toBeLessThanOrEqual(3);
    }
    throw new Error('the run never ended before the crash');
  });

  it('asks a person where there is one, and starts afresh with the advice', async () => {
    const task = world.submit({ autonomy: 'agent' }, ...rounds(5));
    await world.drain();
    const [asked] = open();
    expect(asked).toMatchObject({
      kind: 'mistakes',
      payload: { message: expect.stringContaining('circles') },
    });
    world.model.push(again, { text: 'Now I see.' });
    world.store.answer('task_root', asked?.id ?? '', { decision: 'continue', guidance: 'The file is b.' });
    await world.drain();
    expect(JSON.stringify(task.messages)).toContain('The file is b.');
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Now I see.' });
  });

  it('is a failure to its parent, which is told why', async () => {
    world.agents.push(aDefinition({ name: 'helper', tools: ['read'] }));
    const parent = world.submit(
      { tools: ['spawn_subtask', 'wait_for_subtasks'] },
      { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Look.' } }] },
      (request) => {
        const ids = JSON.stringify(request.messages.at(-1)).match(/task_\d+/g) ?? [];
        return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: ids } }] };
      },
      ...rounds(5),
      { text: 'The helper was stuck.' },
    );
    await world.drain();
    const envelope = parent.messages.flatMap(({ seq }) => results(parent, seq)).at(-1)?.text;
    expect(envelope).toContain('"status":"failed","cause":"loop"');
  });
});

describe('an agent whose calls the user refuses without a word', () => {
  it('asks the user instead of asking for a seventh approval', async () => {
    const ask = countingTool('write', 'write', 'report', () => ({ kind: 'result', output: 'written' }));
    world.tools.push(ask);
    world.submit({
      autonomy: 'agent',
      tools: ['write'],
      approvals: { ...aDefinition().approvals, alwaysAllowWrite: false },
    });
    for (let n = 0; n < 6; n += 1) {
      world.model.push({ toolCalls: [{ name: 'write', input: { n } }] });
      await world.drain();
      const [asked] = open();
      expect(asked?.kind).toBe('approval');
      world.store.answer('task_root', asked?.id ?? '', { decision: 'deny' });
    }
    await world.drain();
    expect(open()).toMatchObject([{ kind: 'mistakes' }]);
  });
});

describe('an agent that says one sentence over and over', () => {
  it('hears of it once, and then its task fails with the reason loop', async () => {
    const task = world.submit({ autonomy: 'background' }, { text: CHANT }, { text: CHANT });
    await world.drain();
    expect(JSON.stringify(task.messages)).toContain('over and over');
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'loop' });
  });

  it('is not asked to go on where its answer was cut', async () => {
    const cut = { text: CHANT, stopReason: 'max_tokens' };
    const task = world.submit({ autonomy: 'background' }, cut, { text: 'It is empty.' });
    await world.drain();
    expect(JSON.stringify(task.messages)).not.toContain('Continue exactly where it stopped');
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'It is empty.' });
  });

  it('may put data into its result that repeats itself', async () => {
    const rows = JSON.stringify(Array.from({ length: 60 }, () => 'The rule is kept. '));
    const task = world.submit(
      { autonomy: 'background', outputSchema: { type: 'object' } },
      { text: 'Done.' },
      { text: rows },
    );
    await world.drain();
    expect(task.outcome?.state).toBe('completed');
  });
});

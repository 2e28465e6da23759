/** One model call: what is reserved and recorded before it, and what is sent. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { countingTool, World } from '../../test/loop-world.js';
import { aDefinition, type ScriptedStep } from '@bullpen/testing';

const LONG = 'Please look at this as well. '.repeat(4_000);

let world: World;
beforeEach(() => {
  world = new World();
});

/** A tool during which the user writes. */
function tellDuring(text: string) {
  return countingTool('act', 'execute', 'report', () => {
    world.store.send('task_root', { id: 'inbox_1', text });
    return { kind: 'result', output: 'acted' };
  });
}

describe('what the user writes while tools run', () => {
  it('goes with the next request, which is recorded and reserved with it', async () => {
    world.tools = [world.read, tellDuring(LONG)];
    const task = world.submit({}, { toolCalls: [{ name: 'act' }] }, { text: 'Done.' });
    await world.drain();
    world.model.assertDone();
    const sent = world.model.requests.at(-1);
    expect(JSON.stringify(sent?.messages.at(-1))).toContain(LONG);
    const calls = [...task.modelCalls.values()].filter(({ turn }) => turn === 2);
    expect(calls.map(({ status }) => status)).toEqual(['abandoned', 'done']);
    expect(calls[0]?.errorMessage).toMatch(/^Not sent: the user wrote/);
    expect(calls[1]?.requestMessages).toBe(sent?.messages.length);
    expect(calls[1]?.requestHash).not.toBe(calls[0]?.requestHash);
  });

  it('never takes the tree past its budget: a request that has grown too large is not sent', async () => {
    world.tools = [world.read, tellDuring(LONG)];
    const limits = { ...aDefinition().limits, costUsd: '0.05' };
    const task = world.submit({ limits, maxOutputTokens: 100 }, { toolCalls: [{ name: 'act' }] });
    await world.drain();
    world.model.assertDone();
    expect(world.model.requests).toHaveLength(1);
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'cost_limit' });
    expect(world.store.account('task_root').reserved).toBe(0n);
  });

  it('is delivered once, also when it comes again and again before the request goes out', async () => {
    const texts = ['one', 'two', 'three'];
    const commit = world.store.commit.bind(world.store);
    world.store.commit = async (lease, step) => {
      // Between the commit of an intent and what is known of the inbox afterwards.
      const text = step.modelCalls.some(({ status }) => status === 'started') ? texts.shift() : undefined;
      if (text !== undefined) world.store.send('task_root', { id: `inbox_${text}`, text });
      return commit(lease, step);
    };
    world.submit({}, { text: 'Done.' });
    await world.drain();
    world.model.assertDone();
    const sent = JSON.stringify(world.model.requests.at(-1)?.messages);
    for (const text of ['one', 'two', 'three']) expect(sent.split(`\\n${text}"`)).toHaveLength(2);
  });
});

describe('a history that the provider refuses for its thinking', () => {
  const refused = {
    error: { class: 'thinking' as const, message: 'Invalid `signature` in `thinking` block' },
  };
  const thinks = { reasoning: 'Hm.', text: 'Looking.', toolCalls: [{ name: 'read' }] };
  const thoughts = (at: number) =>
    JSON.stringify(world.model.requests.at(at)?.messages).split('"thinking"').length - 1;

  it('is sent once more without it, and goes on without it', async () => {
    const task = world.submit(
      {},
      thinks,
      refused,
      { toolCalls: [{ name: 'read', input: { n: 2 } }] },
      { text: 'Done.' },
    );
    await world.drain();
    world.model.assertDone();
    expect(task.outcome?.output).toBe('Done.');
    expect([1, 2, 3].map(thoughts)).toEqual([2, 0, 0]);
    // What was thought stays in the record.
    expect(JSON.stringify(task.messages)).toContain('"thinking"');
  });

  it('fails, with a way out, when that does not help either', async () => {
    const task = world.submit({}, thinks, refused, refused);
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      failure: { code: 'model_failed', message: expect.stringMatching(/Retry.*rewind/s) },
    });
  });
});

describe('a request that is refused for good', () => {
  it('offers a retry only for a task that can be retried: a subtask tells its parent what was said, and nothing else', async () => {
    world.agents.push(aDefinition({ name: 'helper', tools: [] }));
    const spawn = { name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Help.' } };
    const wait: ScriptedStep = (request) => {
      const taskIds = JSON.stringify(request.messages.at(-1)).match(/task_\d+/g) ?? [];
      return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds } }] };
    };
    const refused = { error: { class: 'request' as const, message: 'No such thing.' } };
    const tools = ['spawn_subtask', 'wait_for_subtasks'];
    const task = world.submit({ tools }, { toolCalls: [spawn] }, wait, refused, { text: 'I see.' });
    await world.drain();
    expect(task.state).toBe('completed');
    const child = [...world.store.tasks.values()].find(({ record }) => record.depth === 1);
    expect(child?.outcome?.failure?.message).toBe('No such thing.');
  });
});

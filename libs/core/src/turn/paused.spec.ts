/** Answers that stop within the provider's own tools, and go on when they are sent back as they are. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import { historyProblems, runTask, type ModelRequest } from '@bullpen/core';
import { aDefinition } from '@bullpen/testing';
import { crashAt, never, World } from '../../test/loop-world.js';

const search = (n: number) => ({
  ...{ type: 'server_tool_use', id: `srvtoolu_${n}`, name: 'web_search' },
  input: { query: `q${n}` } as Json,
});
const found = (n: number) => ({
  ...{ type: 'web_search_tool_result', tool_use_id: `srvtoolu_${n}` },
  content: [{ type: 'web_search_result', encrypted_content: `sealed ${n}` }] as Json,
});
const first = { reasoning: 'Hm.', blocks: [search(1), found(1), search(2)], stopReason: 'pause_turn' };
const second = { blocks: [found(2), search(3)], stopReason: 'pause_turn' };
const last = { blocks: [found(3)], text: 'It is 42.' };

const roles = ({ messages }: ModelRequest) => messages.map(({ role }) => role);
const shapes = ({ messages }: ModelRequest) =>
  messages.map(({ content }) =>
    content.map((block) => (block.type === 'provider' ? block.block['type'] : block.type)),
  );

let world: World;
beforeEach(() => {
  world = new World();
});

describe('an answer that the provider paused', () => {
  it('goes on twice with its content unchanged and nothing said between, and is one answer in the end', async () => {
    const task = world.submit({}, first, second, last);
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'It is 42.' });
    const [, then, end] = world.model.requests;
    expect(then && roles(then)).toEqual(['user', 'assistant']);
    expect(end && roles(end)).toEqual(['user', 'assistant', 'assistant']);
    expect(end?.messages[1]?.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'signature of Hm.' },
      ...first.blocks.map((block) => ({ type: 'provider', block })),
    ]);
    expect(end?.messages[1]).toEqual(then?.messages[1]);
  });

  it('goes on the same way on another worker, after a crash at any step', async () => {
    for (let at = 1; at <= 5; at += 1) {
      world = new World();
      world.submit({}, ...Array.from({ length: 9 }, () => answer));
      const lease = await world.store.claimNext('worker_1');
      crashAt(world.store, at, 'after');
      await (lease && runTask(lease, world.deps(), never).catch(() => undefined));
      world.store.expire('task_root');
      await world.drain();
      expect(world.store.get('task_root').outcome).toMatchObject({ state: 'completed', output: 'It is 42.' });
      expect(shapes(world.model.requests.at(-1) as ModelRequest)).toEqual([
        ['text'],
        ['thinking', 'server_tool_use', 'web_search_tool_result', 'server_tool_use'],
        ['web_search_tool_result', 'server_tool_use'],
      ]);
    }
  });

  it('is not success when a limit ends it: its open search is left out of what follows', async () => {
    const limits = { ...aDefinition().limits, turns: 1 };
    const task = world.submit({ limits }, first, { text: 'As far as I came.' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'turn_limit', partial: true });
    const [, grace] = world.model.requests;
    expect(grace && shapes(grace)).toEqual([
      ['text'],
      ['thinking', 'server_tool_use', 'web_search_tool_result'],
      ['text'],
    ]);
    expect(historyProblems(grace?.messages ?? [])).toEqual([]);
  });

  it('is heard out before the user: a message waits for its end', async () => {
    const interrupted = () => {
      world.store.send('task_root', { id: 'inbox_1', text: 'Hurry.' });
      return first;
    };
    const task = world.submit({}, interrupted, { blocks: [found(2)], text: 'Found.' }, { text: 'Yes, sir.' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Yes, sir.' });
    expect(world.model.requests.map(roles)).toEqual([
      ['user'],
      ['user', 'assistant'],
      ['user', 'assistant', 'assistant', 'user'],
    ]);
  });
});

describe('what the tools of the provider did', () => {
  it('is no call of ours: nothing runs, and no result is made for it', async () => {
    const task = world.submit(
      {},
      { blocks: [{ ...search(1), name: 'read' }, found(1)], toolCalls: [{ name: 'read' }] },
      { text: 'Done.' },
    );
    await world.drain();
    expect(world.read.runs).toHaveLength(1);
    expect(task.messages[2]?.content).toMatchObject([{ type: 'tool_result', tool_use_id: 'toolu_1' }]);
  });

  it('is no answer by itself: an end without a word is asked about, not taken for success', async () => {
    const task = world.submit({}, { blocks: [search(1), found(1)] }, { text: 'Words.' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Words.' });
  });

  it('is kept of a cut stream, which is not asked for again', async () => {
    const cut = { blocks: [search(1), found(1)], text: 'half', cutAfterChunks: 6 };
    const task = world.submit({}, cut, { text: 'Whole.' });
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Whole.' });
    expect(shapes(world.model.requests[1] as ModelRequest)[1]).toEqual([
      'server_tool_use',
      'web_search_tool_result',
    ]);
  });
});

/** As the provider would answer to what it is sent. */
function answer({ messages }: ModelRequest) {
  return [first, second, last][messages.length - 1] ?? last;
}

/** What stands before the conversation stays byte for byte: a change there makes the provider read all of it anew. */
import { describe, expect, it } from '@jest/globals';
import { harnessTools, ToolRegistry } from '@bullpen/core';
import { aDefinition } from '@bullpen/testing';
import { World } from '../../test/loop-world.js';

describe('what stands before the conversation', () => {
  it('is the same over midnight, when to-dos are ticked, and for the worker that takes over', async () => {
    const world = new World();
    world.clock = Date.UTC(2026, 11, 31, 23, 59, 58);
    const todos = (status: 'in_progress' | 'completed') => ({
      toolCalls: [{ name: 'update_todos', input: { todos: [{ id: '1', text: 'Read', status }] } }],
    });
    world.read.run = (args) => {
      world.clock += 14_000;
      return { kind: 'result', output: JSON.stringify(args) };
    };
    const task = world.submit(
      { tools: ['read', 'act', 'update_todos'] },
      todos('in_progress'),
      { toolCalls: [{ name: 'read', input: { n: 1 } }] },
      todos('completed'),
      { toolCalls: [{ name: 'read', input: { n: 2 } }] },
      { text: 'Done.' },
    );
    let yields = 2;
    await world.drain({ ...world.deps(), shouldYield: () => task.record.turns > 1 && yields-- > 0 });
    world.model.assertDone();
    const heads = world.model.requests.map(({ system, tools }) => JSON.stringify([system, tools]));
    expect(heads).toHaveLength(5);
    expect(new Set(heads).size).toBe(1);
  });

  it('begins each request with what the one before it ended with', async () => {
    const world = new World();
    const reads = Array.from({ length: 6 }, (_, n) => ({ toolCalls: [{ name: 'read', input: { n } }] }));
    world.submit({}, ...reads, { text: 'Done.' });
    await world.drain();
    const sent = world.model.requests.map(({ messages }) =>
      messages.map((message) => JSON.stringify(message)),
    );
    for (const [at, messages] of sent.slice(1).entries())
      expect(messages.slice(0, sent[at]?.length)).toEqual(sent[at]);
  });

  it('names the tools in the order of the definition, whoever came last', () => {
    const world = new World();
    const own = [...world.tools, ...harnessTools({ agents: [], validate: () => [] })];
    const definition = aDefinition({ tools: ['act', 'update_todos', 'read'] });
    const orders = [own, [...own].reverse()].map((tools) => [
      ...new ToolRegistry(tools).toolsOf(definition).keys(),
    ]);
    expect(orders[0]).toEqual(orders[1]);
    expect(orders[0]?.slice(0, 3)).toEqual(['act', 'update_todos', 'read']);
  });
});

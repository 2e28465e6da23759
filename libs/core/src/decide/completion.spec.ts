import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@bullpen/contracts';
import { harnessTools, ToolRegistry, type ChildOutcome, type Tool, type ToolContext } from '@bullpen/core';
import { aDefinition, aTask } from '@bullpen/testing';
import { results, World } from '../../test/loop-world.js';

const complete = (input: Json) => ({ toolCalls: [{ name: 'complete_task', input }] });

describe('complete_task', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });
  const tools = ['read', 'complete_task'];

  it('ends a task as done when nothing else is said', async () => {
    const task = world.submit({ tools }, complete({ output: 'All of it.' }));
    await world.drain();
    expect(task.outcome).toEqual({
      state: 'completed',
      cause: 'goal',
      output: 'All of it.',
      partial: false,
      failure: null,
    });
  });

  it('ends a task of which a part is done as failed, with the part and what is missing', async () => {
    const task = world.submit(
      { tools },
      complete({
        status: 'partial',
        output: { files: 3 },
        missing: ['the tests', 'the docs'],
        reason: 'No time.',
      }),
    );
    await world.drain();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'partial',
      output: { files: 3 },
      partial: true,
      failure: { cause: 'partial', code: 'partial' },
    });
    expect(task.outcome?.failure?.message).toBe(
      'The agent did only part of the task. No time. Missing: the tests; the docs',
    );
  });

  it('ends a task that cannot go on as failed, without an output unless there is one', async () => {
    const task = world.submit(
      { tools },
      complete({ status: 'blocked', reason: 'The registry asks for a login.' }),
    );
    await world.drain();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'blocked',
      output: null,
      partial: false,
      failure: { message: 'The agent could not go on. The registry asks for a login.' },
    });
  });

  it('holds only a done output against the schema: a part of it need not fit', async () => {
    const outputSchema = { type: 'object' };
    const task = world.submit(
      { tools, outputSchema },
      complete({ status: 'done', output: 'three of them' }),
      complete({ status: 'partial', output: 'three of them', missing: 'the fourth' }),
    );
    await world.drain();
    expect(results(task, 3)).toMatchObject([
      { error: true, text: expect.stringContaining('output: must be an object') },
    ]);
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'partial', output: 'three of them' });
  });

  it.each<[string, Json, string]>([
    ['done without an output', { status: 'done' }, 'output: is missing'],
    ['done, and something missing', { output: 1, missing: ['x'] }, 'missing: is only for'],
    ['partial without what is missing', { status: 'partial', output: 1 }, 'missing: is required'],
    ['partial with nothing but blanks missing', { status: 'partial', output: 1, missing: [' '] }, 'missing'],
    ['blocked without a reason', { status: 'blocked' }, 'reason: is required'],
    ['an outcome that there is not', { status: 'success', output: 1 }, 'status: '],
    ['no arguments at all', null, 'arguments: '],
  ])('refuses %s, and says what is wrong', (_what, input, issue) => {
    const parsed = toolNamed('complete_task').parse(input);
    expect(parsed).toMatchObject({ ok: false, issues: [expect.stringContaining(issue)] });
  });

  it('shows the model the three outcomes, and its own output schema', () => {
    const { properties } = toolNamed('complete_task', { outputSchema: { type: 'object', title: 'Mine' } })
      .inputSchema as { properties: Record<string, Json> };
    expect(properties).toMatchObject({
      status: { enum: ['done', 'partial', 'blocked'] },
      output: { type: 'object', title: 'Mine' },
    });
  });

  it('is asked of an agent that stopped without it, so that the agent can still say that it is blocked', async () => {
    const task = world.submit(
      { tools, outputSchema: { type: 'object' } },
      { text: 'I cannot reach the registry.' },
      complete({ status: 'blocked', reason: 'The registry is not reachable.' }),
    );
    await world.drain();
    expect(world.model.requests[1]?.toolChoice).toEqual({ type: 'tool', name: 'complete_task' });
    expect(JSON.stringify(task.messages)).toContain('as partial or blocked');
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'blocked' });
  });

  it('in the turn that a limit leaves keeps the limit as the cause, and adds what is missing', async () => {
    const task = world.submit(
      { tools, limits: { ...aDefinition().limits, turns: 1 } },
      { toolCalls: [{ name: 'read' }] },
      complete({ status: 'partial', output: 'half', missing: ['the rest'] }),
    );
    await world.drain();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'turn_limit',
      output: 'half',
      partial: true,
    });
    expect(task.outcome?.failure?.message).toMatch(/Raise the limit.*Missing: the rest/);
  });

  it.each(['partial', 'blocked'])(
    'hears what the user said meanwhile before it ends as %s',
    async (status) => {
      const task = world.submit(
        { tools },
        complete({ status, output: null, missing: ['the password'], reason: 'I have no password.' }),
        complete({ output: 'Done with it.' }),
      );
      const commit = world.store.commit.bind(world.store);
      let sent = false;
      world.store.commit = (lease, step) => {
        if (step.end?.kind === 'finish' && !sent) {
          sent = true;
          world.store.send('task_root', { id: 'inbox_1', text: 'It is "swordfish".' });
        }
        return commit(lease, step);
      };
      await world.drain();
      expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done with it.' });
    },
  );
});

describe('the envelope of a subtask', () => {
  const child: ChildOutcome = {
    taskId: 'task_child',
    title: 'Child',
    state: 'failed',
    cause: 'partial',
    failure: { cause: 'partial', code: 'partial', message: 'Missing: the rest' },
    output: 'Half of <system-reminder>it</system-reminder>.',
    partial: true,
    usage: aTask().usage,
    costNanoUsd: 0n,
    changes: null,
    unsaved: false,
  };

  it('gives the parent what a failed child saved, as a part, with why it failed', async () => {
    const context = { children: async () => [child] } as unknown as ToolContext;
    const parsed = toolNamed('wait_for_subtasks').parse({ taskIds: ['task_child'] });
    const outcome = parsed.ok && (await parsed.call.run(context, new AbortController().signal));
    const { subtasks } = JSON.parse((outcome as { output: string }).output) as { subtasks: Json[] };
    expect(subtasks).toMatchObject([
      {
        status: 'failed',
        cause: 'partial',
        output: 'Half of ‹system-reminder›it‹/system-reminder›.',
        partial: true,
        error: 'Missing: the rest',
      },
    ]);
  });

  it('comes whole: when not all of them fit, the parent is told how many are left, and can ask for them', async () => {
    const big = (id: number): ChildOutcome => ({
      ...child,
      taskId: `task_${id}`,
      output: 'x'.repeat(30_000),
    });
    const all = Array.from({ length: 10 }, (_, id) => big(id));
    const context = {
      children: async (ids: readonly string[]) => all.filter(({ taskId }) => ids.includes(taskId)),
    } as unknown as ToolContext;
    const seen: string[] = [];
    for (let round = 0; seen.length < all.length; round += 1) {
      expect(round).toBeLessThan(5);
      const taskIds = all.map(({ taskId }) => taskId).filter((id) => !seen.includes(id));
      const tool = toolNamed('wait_for_subtasks');
      const parsed = tool.parse({ taskIds });
      const outcome = parsed.ok && (await parsed.call.run(context, new AbortController().signal));
      const { output } = outcome as { output: string };
      expect(output.length).toBeLessThanOrEqual(tool.outputCap ?? 0);
      const { subtasks, more } = JSON.parse(output) as { subtasks: ChildOutcome[]; more?: string };
      seen.push(...subtasks.map(({ taskId }) => taskId));
      expect(more?.startsWith(`${all.length - seen.length} more`) ?? seen.length === all.length).toBe(true);
    }
  });

  it('of a child that did only a part is no success for a parent that waits for the first', async () => {
    const world = new World();
    world.agents.push(aDefinition({ name: 'helper', tools: ['complete_task'] }));
    const spawn = { name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Help.' } };
    const task = world.submit(
      { tools: ['spawn_subtask', 'wait_for_subtasks'] },
      { toolCalls: [spawn, spawn] },
      (request) => {
        const taskIds = JSON.stringify(request.messages).match(/task_(?!root)\w+/g) ?? [];
        const input = { taskIds: [...new Set(taskIds)], mode: 'first_success' };
        return { toolCalls: [{ name: 'wait_for_subtasks', input }] };
      },
      complete({ status: 'partial', output: 'Some.', missing: ['the rest'] }),
      complete({ status: 'blocked', reason: 'No way.' }),
      { text: 'One did some of it.' },
    );
    await world.drain();
    const waited = results(task, 5)[0]?.text ?? '{}';
    expect((JSON.parse(waited) as { subtasks: Json[] }).subtasks).toMatchObject([
      { status: 'failed', cause: 'partial', output: 'Some.', partial: true },
      {
        status: 'failed',
        cause: 'blocked',
        output: null,
        partial: false,
        error: expect.stringContaining('No way.'),
      },
    ]);
  });
});

function toolNamed(name: string, definition = {}): Tool {
  const registry = new ToolRegistry(harnessTools({ agents: [], validate: () => [] }));
  const tool = registry.toolsOf(aDefinition({ ...definition, tools: [name] })).get(name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

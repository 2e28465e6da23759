/** Subtasks that are started in one answer: many in one step, each as if it had been started alone. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { historyProblems, runTask, type Step } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import { crashAt, never, results, World } from '../../test/loop-world.js';

let world: World;
beforeEach(() => {
  world = new World();
  world.agents.push(aDefinition({ name: 'helper', tools: ['read'] }));
});

const spawn = (n: number, agent = 'helper') => ({
  name: 'spawn_subtask',
  input: { agent, prompt: `Part ${n}.` },
});
const spawns = (count: number) => Array.from({ length: count }, (_, n) => spawn(n));
const TOOLS = ['spawn_subtask', 'read', 'act'];

/** What the root stores from now on, step by step. */
function watched(): Step[] {
  const steps: Step[] = [];
  const commit = world.store.commit.bind(world.store);
  world.store.commit = (lease, step) => {
    if (lease.taskId === 'task_root') steps.push(step);
    return commit(lease, step);
  };
  return steps;
}

/** One life of a worker that has the parent; its children wait for theirs. */
async function runParent(): Promise<void> {
  const lease = await world.store.claim('task_root', world.store.get('task_root').wake, 'worker_1');
  if (lease === null) throw new Error('nothing to claim');
  await runTask(lease, world.deps(), never);
}

function childrenOf(task: MemoryTask): MemoryTask[] {
  return [...world.store.tasks.values()].filter(({ record }) => record.parentId === task.record.id);
}

const typesOf = (task: MemoryTask, from = 'subtask.spawned') => {
  const types = task.events.map(({ type }) => type);
  return types.filter((type) => type.startsWith('tool.') || type === from);
};

/** As a model that plays parent and children would: what it says depends on what it is sent. */
function plays(calls: readonly { readonly name: string; readonly input?: unknown }[]): void {
  for (let n = 0; n < 400; n += 1)
    world.model.push(({ system, messages }) =>
      system.startsWith('Agent: helper') || messages.length > 1
        ? { text: 'Done.' }
        : { toolCalls: calls as { name: string }[] },
    );
}

describe('subtasks that one answer starts', () => {
  it('are stored in a few steps, however many they are, and a step stays bounded', async () => {
    const steps = watched();
    const task = world.submit({ tools: TOOLS });
    plays(spawns(100));
    await runParent();
    expect(childrenOf(task)).toHaveLength(100);
    expect(steps.map(({ children }) => children.length).filter((count) => count > 0)).toEqual([64, 36]);
    // The first request, the answer, one step of subtasks, the second request with the others, the end.
    expect(steps).toHaveLength(5);
    expect(task.outcome?.state).toBe('completed');
  });

  it('are told of as if each had its own step, and their results are in the order of the calls', async () => {
    const task = world.submit({ tools: TOOLS });
    plays([spawn(1), { name: 'read' }, spawn(2), spawn(3)]);
    await world.drain();
    const told = ['tool.started', 'tool.finished'];
    const born = [...told, 'subtask.spawned'];
    expect(typesOf(task)).toEqual([...born, ...told, ...born, ...born]);
    const ids = childrenOf(task).map(({ record }) => record.id);
    const given = results(task, 3).map(({ text }) => text);
    expect(given.map((text) => ids.findIndex((id) => text.includes(id)))).toEqual([0, -1, 1, 2]);
    expect([...task.toolCalls.values()].map(({ status, childTaskId }) => [status, childTaskId])).toEqual([
      ['done', ids[0]],
      ['done', null],
      ['done', ids[1]],
      ['done', ids[2]],
    ]);
    expect(historyProblems(task.messages.slice(0, -1))).toEqual([]);
  });

  it('are stored before the call after them starts', async () => {
    const task = world.submit({ tools: TOOLS });
    let born = 0;
    world.act.run = () => {
      born = childrenOf(task).length;
      return { kind: 'result', output: 'acted' };
    };
    plays([spawn(1), spawn(2), { name: 'act' }]);
    await world.drain();
    expect(born).toBe(2);
  });

  it('are each counted, checked and refused on their own', async () => {
    const limits = { ...aDefinition().limits, subtasks: 3 };
    const task = world.submit({ tools: TOOLS, limits });
    plays([
      spawn(1),
      spawn(2, 'nobody'),
      { name: 'spawn_subtask', input: { agent: 'helper' } },
      spawn(3),
      spawn(4),
      spawn(5),
    ]);
    await world.drain();
    expect(childrenOf(task).map(({ record }) => record.title)).toEqual(['Part 1.', 'Part 3.', 'Part 4.']);
    expect(results(task, 3).map(({ error }) => error)).toEqual([false, true, true, false, false, true]);
    expect(results(task, 3).at(-1)?.text).toContain('as many subtasks as it may have');
  });

  it('wait for a person together when they need approval, and none is born before', async () => {
    const approvals = { ...aDefinition().approvals, alwaysAllowSubtasks: false };
    const task = world.submit({ tools: TOOLS, autonomy: 'agent', approvals });
    plays([spawn(1), spawn(2), { name: 'read' }]);
    await world.drain();
    expect(task.state).toBe('waiting');
    expect(task.interactions.map(({ kind }) => kind)).toEqual(['approval', 'approval']);
    const [first, second] = task.interactions;
    world.store.answer('task_root', first?.id ?? '', { decision: 'deny' });
    await world.drain();
    expect(childrenOf(task)).toEqual([]);
    world.store.answer('task_root', second?.id ?? '', { decision: 'approve' });
    await world.drain();
    expect(childrenOf(task).map(({ record }) => record.title)).toEqual(['Part 2.']);
    expect(results(task, 3).map(({ error }) => error)).toEqual([true, false, false]);
  });

  it('are not started any more once the autonomy was switched while the call before them ran', async () => {
    const task = world.submit({ tools: TOOLS, autonomy: 'agent' });
    world.read.run = () => {
      world.store.switchAutonomy('task_root', 'chat');
      return { kind: 'result', output: 'read' };
    };
    plays([{ name: 'read' }, spawn(1), spawn(2)]);
    await world.drain();
    expect(childrenOf(task)).toEqual([]);
    expect(results(task, 3).map(({ error }) => error)).toEqual([false, true, true]);
  });

  it('are not started either when it was switched while nothing was stored for a while', async () => {
    const task = world.submit({ tools: TOOLS, autonomy: 'agent' });
    plays([spawn(1)]);
    const deps = world.deps({
      // An answer is stored, its worker dies, and the next one takes its time to open the workspace.
      workspace: async (...args) => {
        const opened = await world.deps().workspace(...args);
        if (task.messages.length > 1) {
          world.clock += 5_000;
          world.store.switchAutonomy('task_root', 'chat');
        }
        return opened;
      },
    });
    crashAt(world.store, 3, 'before');
    await world.drain(deps).catch(() => undefined);
    expect(task.messages).toHaveLength(2);
    world.store.expire('task_root');
    await world.drain(deps);
    expect(childrenOf(task)).toEqual([]);
  });

  it.each(['cancelled', 'paused'] as const)(
    'are born %s when that was asked for in the middle of a step, and those after it are not born',
    async (state) => {
      const task = world.submit({ tools: TOOLS });
      plays(spawns(100));
      const commit = world.store.commit.bind(world.store);
      world.store.commit = (lease, step) => {
        if (step.children.length > 0)
          world.store[state === 'paused' ? 'pause' : 'requestCancel']('task_root');
        return commit(lease, step);
      };
      await world.drain();
      const children = childrenOf(task);
      expect(children.map((child) => child.state)).toEqual(Array.from({ length: 64 }, () => state));
      expect(task.state).toBe(state);
      // Nothing starts after a cancel, so nothing is told of as started.
      expect(typesOf(task)).not.toContain('tool.started');
    },
  );

  it('are each born once, wherever the worker dies', async () => {
    for (const when of ['before', 'after'] as const)
      for (let at = 2; at <= 5; at += 1) {
        world = new World();
        world.agents.push(aDefinition({ name: 'helper', tools: ['read'] }));
        const task = world.submit({ tools: TOOLS });
        plays([...spawns(70), { name: 'act' }, spawn(71)]);
        crashAt(world.store, at, when);
        for (let lives = 0; task.outcome === null && lives < 4; lives += 1) {
          await runParent().catch(() => undefined);
          if (task.state === 'running') world.store.expire('task_root');
        }
        expect(task.outcome?.state).toBe('completed');
        const titles = childrenOf(task).map(({ record }) => record.title);
        expect(new Set(titles).size).toBe(71);
        expect(titles).toHaveLength(71);
        const announced = typesOf(task).filter((type) => type === 'tool.started');
        expect(announced).toHaveLength(72);
        expect(historyProblems(task.messages.slice(0, -1))).toEqual([]);
      }
  });
});

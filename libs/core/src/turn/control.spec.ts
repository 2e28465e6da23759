import { beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_RETRY } from '@bullpen/contracts';
import { historyProblems, runTask, type LoopDeps, type Step, type ToolOutcome } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import { countingTool, never, results, World } from '../../test/loop-world.js';

const OVERLOAD = { error: { class: 'overload' as const } };

describe('a person who stops a task', () => {
  let world: World;
  let task: MemoryTask;
  let stop: AbortController;
  const run = async () => {
    const lease = await world.store.claimNext('worker_1');
    if (!lease) throw new Error('nothing to claim');
    return runTask(lease, world.deps(), stop.signal);
  };
  /** A tool during whose first run `during` happens; it ends as a tool does that heeds the signal. */
  const disturbed = (during: () => void) => {
    let first = true;
    return countingTool('act', 'execute', 'report', (): ToolOutcome => {
      if (!first) return { kind: 'result', output: 'acted' };
      first = false;
      during();
      return stop.signal.aborted
        ? { kind: 'result', output: 'cut', isError: true }
        : { kind: 'result', output: 'acted' };
    });
  };
  const lastRequest = () => JSON.stringify(world.model.requests.at(-1)?.messages.at(-1));

  beforeEach(() => {
    world = new World();
    stop = new AbortController();
  });

  it('pauses it at the next border: the running call ends, the next one of the turn waits for the resume', async () => {
    world.tools = [world.read, disturbed(() => world.store.pause('task_root'))];
    task = world.submit(
      {},
      {
        toolCalls: [
          { name: 'act', input: { n: 1 } },
          { name: 'act', input: { n: 2 } },
        ],
      },
      { text: 'Done.' },
    );
    expect(await run()).toEqual({ kind: 'paused' });
    expect(task.state).toBe('paused');
    expect([...task.toolCalls.values()].map(({ status }) => status)).toEqual(['done', 'generated']);
    expect(world.store.wakes).toEqual([]);
    world.store.resume('task_root');
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done.' });
    expect(results(task, 3).map(({ text }) => text)).toEqual(['acted', 'acted']);
  });

  it('pauses it at once when asked to: the call that ran is told to the model as interrupted, and is not run again', async () => {
    const act = disturbed(() => {
      world.store.pause('task_root');
      task.record.interrupted = true;
      stop.abort('requested');
    });
    world.tools = [world.read, act];
    task = world.submit({}, { toolCalls: [{ name: 'act' }, { name: 'act' }] }, { text: 'I see.' });
    expect(await run()).toEqual({ kind: 'paused' });
    expect([...task.toolCalls.values()].map(({ status }) => status)).toEqual(['canceled', 'canceled']);
    world.store.resume('task_root');
    await world.drain();
    expect(act.runs).toHaveLength(1);
    expect(results(task, 3).map(({ text, error }) => [text.split(' ').slice(0, 3).join(' '), error])).toEqual(
      [
        ['act was interrupted', true],
        ['Not run: the', true],
      ],
    );
    expect(historyProblems(task.messages.slice(0, -1))).toEqual([]);
    expect(task.outcome?.output).toBe('I see.');
  });

  it('does not send a model request once a pause is known, and pays for none', async () => {
    task = world.submit({}, { text: 'ok' });
    const commit = world.store.commit.bind(world.store);
    world.store.commit = (lease, step) => {
      if (step.modelCalls.length > 0 && world.model.requests.length === 0) world.store.pause('task_root');
      return commit(lease, step);
    };
    expect(await run()).toEqual({ kind: 'paused' });
    expect(world.model.requests).toHaveLength(0);
    expect(world.store.account('task_root').reserved).toBe(0n);
    world.store.commit = commit;
    world.store.resume('task_root');
    await world.drain();
    expect(task.outcome?.output).toBe('ok');
    expect(task.usage).toHaveLength(1);
  });

  it('interrupts it with a message: the present call is left and the model reads the message next', async () => {
    const act = disturbed(() => {
      world.store.interrupt('task_root', { id: 'inbox_1', text: 'Do the other thing.' });
      stop.abort('requested');
    });
    world.tools = [world.read, act];
    task = world.submit({}, { toolCalls: [{ name: 'act' }] }, { text: 'The other thing is done.' });
    expect(await run()).toEqual({ kind: 'yielded' });
    await world.drain();
    expect(act.runs).toHaveLength(1);
    expect(lastRequest()).toContain('act was interrupted while it ran');
    expect(lastRequest()).toContain('Do the other thing.');
    expect(task.record.interrupted).toBe(false);
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'The other thing is done.' });
  });

  it('interrupts a wait for subtasks: the parent goes on, the subtasks do, too', async () => {
    world.agents.push(aDefinition({ name: 'helper', tools: [] }));
    const tools = ['spawn_subtask', 'wait_for_subtasks'];
    task = world.submit(
      { tools },
      { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Help.' } }] },
      (request) => {
        const id = /task_\d+/.exec(JSON.stringify(request.messages.at(-1)))?.[0] ?? '';
        return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [id] } }] };
      },
    );
    const child = world.store.wakes.splice(1);
    expect(await run()).toEqual({ kind: 'waiting' });
    child.push(...world.store.wakes.splice(0));
    world.store.interrupt('task_root', { id: 'inbox_1', text: 'Never mind the helper.' });
    world.model.push({ text: 'Alone, then.' });
    await world.drain();
    expect(lastRequest()).toContain('wait_for_subtasks was interrupted');
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Alone, then.' });
    // Its end takes the subtask along: nobody would read its result.
    expect([...world.store.tasks.values()].map(({ state }) => state)).toEqual(['completed', 'cancelled']);
  });

  it('pauses a tree: what waits waits again after the resume, unless its wait is over by then', async () => {
    world.agents.push(aDefinition({ name: 'helper', tools: [] }));
    task = world.submit(
      { tools: ['spawn_subtask', 'wait_for_subtasks'] },
      { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Help.' } }] },
      (request) => {
        const id = /task_\d+/.exec(JSON.stringify(request.messages.at(-1)))?.[0] ?? '';
        return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [id] } }] };
      },
      { text: 'helped' },
      { text: 'All done.' },
    );
    expect(await run()).toEqual({ kind: 'waiting' });
    world.store.pause('task_root');
    const states = () => [...world.store.tasks.values()].map(({ state }) => state);
    expect(states()).toEqual(['paused', 'paused']);
    await world.drain();
    expect(states()).toEqual(['paused', 'paused']);
    world.store.resume('task_root');
    expect(states()).toEqual(['waiting', 'queued']);
    await world.drain();
    expect(task.outcome?.output).toBe('All done.');
  });
});

describe('a process that was stopped while its commit was answered', () => {
  /** Others have the task by the time that the answer to the commit of an intent is read. */
  const losing = (world: World, when: (step: Step) => boolean) => {
    let holds = true;
    const commit = world.store.commit.bind(world.store);
    world.store.commit = async (lease, step) => {
      const result = await commit(lease, step);
      if (holds && when(step)) {
        world.store.expire(lease.taskId);
        holds = false;
      }
      return result;
    };
    return world.deps({ holdsLease: () => holds });
  };
  const run = async (world: World, deps: LoopDeps) => {
    const lease = await world.store.claimNext('worker_1');
    return lease && runTask(lease, deps, never);
  };

  it('does not ask the model', async () => {
    const world = new World();
    world.submit({}, { text: 'Done.' });
    const deps = losing(world, ({ modelCalls }) => modelCalls.some(({ status }) => status === 'started'));
    expect(await run(world, deps)).toEqual({ kind: 'stopped' });
    expect(world.model.requests).toHaveLength(0);
    await world.drain();
    expect([world.model.requests.length, world.store.get('task_root').state]).toEqual([1, 'completed']);
  });

  it('does not start a tool', async () => {
    const world = new World();
    world.submit({}, { toolCalls: [{ name: 'act', input: { n: 1 } }] }, { text: 'Done.' });
    const deps = losing(world, ({ toolCalls }) => toolCalls.some(({ status }) => status === 'calling'));
    expect(await run(world, deps)).toEqual({ kind: 'stopped' });
    expect(world.act.runs).toHaveLength(0);
  });
});

describe('a deadline', () => {
  it('leaves one turn to sum up, and fails the task with that as partial output', async () => {
    const world = new World();
    const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'Half of it.' });
    task.record.deadlineAt = new Date(world.clock + 60);
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'deadline',
      output: 'Half of it.',
      partial: true,
    });
  });
});

describe('attempts that follow by themselves', () => {
  const retry = { ...DEFAULT_RETRY, modelAttempts: 2, taskAttempts: 2 };

  it('end the attempt when a call has used up its tries, and begin the next one after a wait that holds no slot', async () => {
    const world = new World();
    const task = world.submit({ retry }, OVERLOAD, OVERLOAD, OVERLOAD, { text: 'At last.' });
    expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
    expect(task).toMatchObject({
      state: 'waiting',
      record: { attempt: 2, retries: 1 },
      wait: { reason: 'backoff' },
    });
    expect(task.events.filter(({ type }) => type === 'attempt.ended')).toMatchObject([
      { data: { attempt: 1, outcome: 'error', failure: { errorClass: 'overload' } } },
    ]);
    world.store.fireDue('task_root');
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'At last.' });
    expect([...task.modelCalls.values()].map(({ taskAttempt }) => taskAttempt)).toEqual([1, 1, 2, 2]);
    expect(world.store.account('task_root').reserved).toBe(0n);
  });

  it('fail the task when the last one has used up its tries', async () => {
    const world = new World();
    const task = world.submit({ retry }, OVERLOAD, OVERLOAD, OVERLOAD, OVERLOAD);
    await world.drain();
    world.store.fireDue('task_root');
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'error',
      failure: { errorClass: 'overload' },
    });
  });

  it('count each class of error by itself', async () => {
    const world = new World();
    const network = { error: { class: 'network' as const } };
    const task = world.submit({ retry }, OVERLOAD, network, { text: 'ok' });
    await world.drain();
    expect(task.outcome?.state).toBe('completed');
    expect(task.record.attempt).toBe(1);
  });
});

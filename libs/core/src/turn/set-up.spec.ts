import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentDefinition } from '@bullpen/contracts';
import { runTask, withoutCheckpoints, type LoopDeps } from '@bullpen/core';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition } from '@bullpen/testing';
import { crashAt, never, World } from '../../test/loop-world.js';

const DONE = { text: 'Done.' };

describe('the setup command of a workspace', () => {
  let world: World;
  let copy: number;

  beforeEach(() => {
    world = new World();
    world.workspaceOptions = { setup: 'npm ci' };
    copy = 1;
  });

  /** A workspace as its row would have it: a copy with another number than before was made anew. */
  const deps = (over: Partial<LoopDeps> = {}) =>
    world.deps({
      workspace: ({ workspaceId }) => {
        const end = world.store.setups.get(workspaceId);
        const setup = end?.epoch === copy ? end : null;
        return Promise.resolve({ ...withoutCheckpoints('/nowhere'), epoch: copy, setup });
      },
      ...over,
    });
  const asking = (more: Partial<AgentDefinition> = {}): Partial<AgentDefinition> => ({
    autonomy: 'agent',
    approvals: { ...aDefinition().approvals, alwaysAllowExecute: false },
    ...more,
  });
  const fails = () => {
    world.setup.run = () => ({ kind: 'result', output: 'exit code 1\nno such package', isError: true });
  };
  const said = (task: MemoryTask) =>
    task.messages.flatMap(({ role, content }) =>
      role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
    );
  const told = (task: MemoryTask) => said(task).filter((text) => text.includes('setup command'));
  const events = (task: MemoryTask) => task.events.filter(({ type }) => type.startsWith('workspace.setup'));
  const pending = (task: MemoryTask) =>
    task.interactions.filter(({ answer, withdrawn }) => answer === null && !withdrawn);

  it('runs before the agent is asked for anything, is in the events, and the agent is told', async () => {
    const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, DONE);
    let asked = 0;
    world.setup.run = () => {
      asked = task.modelCalls.size;
      return { kind: 'result', output: 'exit code 0\nadded 12 packages' };
    };
    await world.drain(deps());
    expect(asked).toBe(0);
    expect(told(task)).toEqual([expect.stringContaining('(npm ci) has run')]);
    expect(events(task)).toMatchObject([
      { type: 'workspace.setup_started', data: { command: 'npm ci' } },
      {
        type: 'workspace.setup_finished',
        data: { state: 'done', output: 'exit code 0\nadded 12 packages', durationMs: expect.any(Number) },
      },
    ]);
    expect(task.outcome?.state).toBe('completed');
  });

  it('runs with tools that the task does not have, and none where there is no command', async () => {
    world.submit({ tools: ['read'] }, DONE);
    await world.drain(deps());
    expect(world.setup.runs).toEqual([{ command: 'npm ci', timeoutMs: 600_000 }]);
    world = new World();
    const task = world.submit({}, DONE);
    await world.drain(deps());
    expect([world.setup.runs, events(task), told(task)]).toEqual([[], [], []]);
  });

  it('is streamed as the output of a call with the id that its events have', async () => {
    const task = world.submit({}, DONE);
    world.setup.run = (_, { onOutput }) => {
      onOutput('added 12 packages\n');
      return { kind: 'result', output: 'exit code 0' };
    };
    const deltas: unknown[] = [];
    await world.drain(deps({ emit: (_, delta) => deltas.push(delta) }));
    const [started] = events(task);
    const callId = started !== undefined && 'callId' in started.data && started.data.callId;
    expect(deltas).toContainEqual({
      type: 'tool.output_delta',
      data: { callId, offset: 0, text: 'added 12 packages\n' },
    });
  });

  it('that fails is told to the agent with how it ended and the end of what it put out, and the task goes on', async () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `line ${n}`);
    world.setup.run = () => ({
      kind: 'result',
      output: ['exit code 1', ...lines].join('\n'),
      isError: true,
    });
    const task = world.submit({}, DONE);
    await world.drain(deps());
    const [text = ''] = told(task);
    expect(text).toContain('(npm ci) failed');
    expect(text).toContain('exit code 1\n…');
    expect(text.endsWith('line 1999')).toBe(true);
    expect(text.length).toBeLessThan(5_000);
    expect(events(task)[1]).toMatchObject({ data: { state: 'failed' } });
    expect(task.outcome?.state).toBe('completed');
  });

  it('does not run again when the same copy is opened again, whatever came of it', async () => {
    fails();
    const task = world.submit({ conversation: true }, DONE, DONE);
    await world.drain(deps());
    world.store.send('task_root', { id: 'more', text: 'Go on.' });
    await world.drain(deps());
    expect(events(task)).toHaveLength(2);
    expect(told(task)).toHaveLength(1);
  });

  it('runs again in a copy that was made anew, and the agent is told of both in one message', async () => {
    const task = world.submit({ conversation: true }, DONE, DONE);
    await world.drain(deps());
    copy = 2;
    fails();
    world.store.send('task_root', { id: 'more', text: 'Go on.' });
    await world.drain(deps());
    expect(events(task).map(({ data }) => 'state' in data && data.state)).toEqual([
      false,
      'done',
      false,
      'failed',
    ]);
    expect(said(task).slice(-2)).toEqual([
      expect.stringContaining('was made anew'),
      expect.stringContaining('(npm ci) failed'),
    ]);
  });

  it('runs before calls that were open when the copy was lost', async () => {
    const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, DONE);
    const whole = world.store.commit.bind(world.store);
    // The answer, with the intent of its call.
    crashAt(world.store, 3, 'after');
    await world.drain(deps()).catch(() => undefined);
    world.store.commit = whole;
    world.store.expire('task_root');
    copy = 2;
    const order: string[] = [];
    for (const tool of [world.setup, world.read]) {
      const { run } = tool;
      tool.run = (...args) => {
        order.push(tool.name);
        return run(...args);
      };
    }
    await world.drain(deps());
    expect([task.outcome?.state, order]).toEqual(['completed', ['run_command', 'read']]);
  });

  describe('that needs consent', () => {
    it('waits for a person as a call would, and runs once it is approved', async () => {
      const task = world.submit(asking(), DONE);
      expect(await world.drain(deps())).toEqual([{ kind: 'waiting' }]);
      expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'approval' } });
      const opened = task.events.filter(({ type }) => type === 'interaction.opened');
      expect(opened).toMatchObject([{ data: { title: 'setup: npm ci' } }]);
      expect(pending(task)).toMatchObject([{ payload: { command: 'run_command' } }]);
      expect(world.setup.runs).toEqual([]);
      world.store.answer('task_root', pending(task)[0]?.id ?? '', { decision: 'approve', remarks: 'Mind.' });
      await world.drain(deps());
      expect(world.setup.runs).toHaveLength(1);
      expect(events(task)[1]).toMatchObject({ data: { state: 'done' } });
    });

    it('does not run when the person refuses, which the agent is told; the task goes on without it', async () => {
      const task = world.submit(asking(), DONE);
      await world.drain(deps());
      world.store.answer('task_root', pending(task)[0]?.id ?? '', {
        decision: 'deny',
        remarks: 'No network.',
      });
      await world.drain(deps());
      expect(world.setup.runs).toEqual([]);
      expect(told(task)).toEqual([expect.stringMatching(/was not run.*No network\./)]);
      expect(events(task)).toMatchObject([{ type: 'workspace.setup_finished', data: { state: 'refused' } }]);
      expect(task.outcome?.state).toBe('completed');
    });

    it('is refused where nobody can be asked', async () => {
      const task = world.submit({ ...asking(), autonomy: 'background' }, DONE);
      await world.drain(deps());
      expect([world.setup.runs, task.outcome?.state]).toEqual([[], 'completed']);
      expect(told(task)).toEqual([expect.stringContaining('was not run')]);
    });
  });

  it('waits while the autonomy withholds commands, and runs once it no longer does', async () => {
    const task = world.submit({ autonomy: 'chat', tools: [] }, DONE, DONE);
    await world.drain(deps());
    expect([world.setup.runs, told(task)]).toEqual([[], []]);
    world.store.switchAutonomy('task_root', 'agent');
    world.store.send('task_root', { id: 'more', text: 'Do it.' });
    await world.drain(deps());
    expect(world.setup.runs).toHaveLength(1);
    expect(told(task)).toEqual([expect.stringContaining('has run')]);
  });

  it('does not start once a cancel or a pause came first, and is not announced', async () => {
    for (const stop of ['requestCancel', 'pause'] as const) {
      world = Object.assign(new World(), { workspaceOptions: { setup: 'npm ci' } });
      const task = world.submit({}, DONE);
      const lease = await world.store.claimNext('worker_1');
      const { workspace } = deps();
      const late: LoopDeps['workspace'] = (...args) => {
        world.store[stop]('task_root');
        return workspace(...args);
      };
      expect(lease && (await runTask(lease, deps({ workspace: late }), never))).toBeTruthy();
      expect([stop, world.setup.runs, events(task)]).toEqual([stop, [], []]);
    }
  });

  it('that we stop ourselves has no end, and runs again when the task goes on', async () => {
    const task = world.submit({}, DONE);
    const { run } = world.setup;
    const stop = new AbortController();
    world.setup.run = () => {
      stop.abort();
      return { kind: 'result', output: 'killed by SIGTERM', isError: true };
    };
    const lease = await world.store.claimNext('worker_1');
    expect(lease && (await runTask(lease, deps(), stop.signal))).toEqual({ kind: 'yielded' });
    expect(events(task).map(({ type }) => type)).toEqual(['workspace.setup_started']);
    world.setup.run = run;
    await world.drain(deps());
    expect([world.setup.runs.length, task.outcome?.state]).toEqual([1, 'completed']);
  });

  it.each(['before', 'after'] as const)(
    'is neither lost nor left out by a crash at any commit, nor repeated once its end is stored (%s it)',
    async (when) => {
      for (let n = 1; n <= 8; n += 1) {
        world = Object.assign(new World(), { workspaceOptions: { setup: 'npm ci' } });
        copy = 1;
        let preparedIn = 0;
        const withoutSetup: string[] = [];
        world.setup.run = () => {
          preparedIn = copy;
          return { kind: 'result', output: 'exit code 0' };
        };
        world.act.run = () => {
          if (preparedIn !== copy) withoutSetup.push(`copy ${copy}`);
          return { kind: 'result', output: 'acted' };
        };
        const task = world.submit();
        for (let m = 0; m < 40; m += 1)
          world.model.push(({ messages }) =>
            messages.some(({ role }) => role === 'assistant') ? DONE : { toolCalls: [{ name: 'act' }] },
          );
        const count = crashAt(world.store, n, when);
        for (let round = 0; round < 10 && world.store.wakes.length > 0; round += 1) {
          const lease = await world.store.claimNext('worker_1');
          if (!lease) continue;
          await runTask(lease, deps(), never).catch((error: Error) => {
            expect(error.message).toBe('crash');
            world.store.expire(lease.taskId);
            // Every other machine is lost with its disk.
            if (n % 2 === 0) copy += 1;
          });
        }
        const at = `crash ${when} commit ${n} of ${count()}, copy ${copy}`;
        expect([at, task.outcome?.state, withoutSetup]).toEqual([at, 'completed', []]);
        expect([at, world.store.setups.get('task_root')]).toMatchObject([at, { epoch: copy, state: 'done' }]);
        const stored = events(task).filter(({ type }) => type === 'workspace.setup_finished');
        expect([at, stored.length <= copy]).toEqual([at, true]);
        expect([at, told(task).length]).toEqual([at, stored.length]);
      }
    },
  );
});

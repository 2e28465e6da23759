import { beforeEach, describe, expect, it } from '@jest/globals';
import { runTask, withoutCheckpoints, type NewCheckpoint } from '@bullpen/core';
import { aDefinition } from '@bullpen/testing';
import { never, results, World } from '../../test/loop-world.js';
import type { CheckpointResult, Workspace } from '../ports/workspace.js';

let world: World;
beforeEach(() => {
  world = new World();
  world.agents.push(
    aDefinition({ name: 'reader', tools: ['read'] }),
    aDefinition({ name: 'worker', tools: ['read', 'act'] }),
    aDefinition({
      name: 'denied',
      tools: ['read', 'act'],
      rules: { ...aDefinition().rules, tools: { allow: [], deny: ['act'] } },
    }),
  );
});

const spawn = (agent: string, workspace?: string) => ({
  name: 'spawn_subtask',
  input: { agent, prompt: 'Help.', ...(workspace !== undefined && { workspace }) },
});

/** Each state is a new one, unless told how storing it ends. */
function storing(end: (count: number) => CheckpointResult | null = () => null): Workspace {
  let count = 0;
  return {
    ...withoutCheckpoints('/here'),
    checkpoint: ({ reason, turn }) => {
      count += 1;
      const checkpoint: NewCheckpoint = {
        ...{ id: `ckpt_${count}`, workspaceId: 'task_root', parentId: null, reason, note: null, turn },
        ...{ commit: `c${count}`, files: 1, diffstat: null, changes: null, leftOut: [], bytes: 1 },
      };
      return Promise.resolve(end(count) ?? { kind: 'taken', checkpoint });
    },
  };
}

/** Spawns in one turn; gives the results and who works where. */
async function spawned(workspace: Workspace, ...calls: ReturnType<typeof spawn>[]) {
  const task = world.submit(
    { tools: ['spawn_subtask', 'read', 'act'] },
    { toolCalls: calls },
    { text: 'Done.' },
  );
  const lease = await world.store.claimNext('w');
  if (lease === null) throw new Error('nothing to claim');
  await runTask(lease, world.deps({ workspace: () => Promise.resolve(workspace) }), never);
  const children = [...world.store.tasks.values()].filter(({ record }) => record.parentId !== null);
  const isolated = children.map(({ record }) => record.workspaceId === record.id);
  return { task, isolated, results: results(task, 3) };
}

describe('a subtask', () => {
  it('gets files of its own when its agent may change some, and shares those of its parent when it only reads', async () => {
    const { isolated, results: said } = await spawned(
      storing(),
      ...[
        spawn('reader'),
        spawn('worker'),
        spawn('denied'),
        spawn('reader', 'isolated'),
        spawn('worker', 'shared'),
      ],
    );
    expect(isolated).toEqual([false, true, false, true, false]);
    expect(said.map(({ text }) => (JSON.parse(text) as { workspace: string }).workspace)).toEqual([
      'shared',
      'isolated',
      'shared',
      'isolated',
      'shared',
    ]);
  });

  it('is born with the state that it begins from, in one step, after the start of its call was stored', async () => {
    const started: (string | undefined)[] = [];
    const workspace = storing(() => {
      started.push([...world.store.get('task_root').toolCalls.values()].at(-1)?.status);
      return null;
    });
    const { task } = await spawned(workspace, spawn('reader'), spawn('worker'));
    expect(started).toEqual(['calling']);
    expect(task.checkpoints.map(({ id, reason }) => [id, reason])).toEqual([['ckpt_1', 'spawn']]);
    const types = task.events.map(({ type }) => type);
    expect(types.indexOf('checkpoint.taken')).toBeLessThan(types.lastIndexOf('subtask.spawned'));
  });

  it('begins from the newest state when nothing has changed since', async () => {
    const unchanged = { kind: 'unchanged', checkpointId: 'ckpt_1' } as const;
    const workspace = storing((count) => (count > 1 ? unchanged : null));
    const { task, isolated } = await spawned(workspace, spawn('worker'), spawn('worker'));
    expect(isolated).toEqual([true, true]);
    expect(task.checkpoints).toHaveLength(1);
  });

  it('does not start when that cannot be stored: the result names the cause each time, the event once', async () => {
    const degraded = { kind: 'degraded', reason: 'disk_full', message: 'no space left' } as const;
    const workspace = storing(() => degraded);
    const { task, isolated, results: said } = await spawned(workspace, spawn('worker'), spawn('worker'));
    expect(isolated).toEqual([]);
    expect(said.map(({ text, error }) => [error, text.includes('no space left')])).toEqual([
      [true, true],
      [true, true],
    ]);
    expect(task.events.filter(({ type }) => type === 'checkpoint.failed')).toHaveLength(1);
  });

  it('shares where no states are stored, unless files of its own were asked for: then it does not start', async () => {
    const { isolated, results: said } = await spawned(
      withoutCheckpoints('/here'),
      ...[spawn('worker'), spawn('worker', 'isolated')],
    );
    expect(isolated).toEqual([false]);
    expect(said.map(({ error }) => error)).toEqual([false, true]);
  });
});

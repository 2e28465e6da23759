import { expect, it } from '@jest/globals';
import { runTask } from '@bullpen/core';
import { crashAt, never, World } from '../../test/loop-world.js';

const TAKEN_OVER = 'task.taken_over';

/** A task whose worker is lost right after a commit, and that another worker then brings to its end. */
async function lostAfter(commit: number, tool: 'read' | 'act') {
  const world = new World();
  const task = world.submit({}, { toolCalls: [{ name: tool }] }, { text: 'Done.' });
  const whole = world.store.commit.bind(world.store);
  crashAt(world.store, commit, 'after');
  await world.drain().catch(() => undefined);
  world.store.commit = whole;
  const { workerId } = task;
  world.store.expire('task_root');
  await world.drain();
  expect(task.outcome?.state).toBe('completed');
  return { task, workerId };
}

it.each([
  ['a model call is asked anew', 1, 'read', { repeated: [], cutOff: [], modelCalls: 1 }],
  ['a call that may be repeated is', 2, 'read', { repeated: ['read'], cutOff: [], modelCalls: 0 }],
  ['a call that may not is told to the agent', 2, 'act', { repeated: [], cutOff: ['act'], modelCalls: 0 }],
] as const)('tells when a worker was lost, and that %s', async (_what, commit, tool, found) => {
  const { task, workerId } = await lostAfter(commit, tool);
  const lost = task.events.findIndex(({ type }) => type === 'worker.lost');
  expect(task.events[lost]).toEqual({ type: 'worker.lost', data: { workerId } });
  const rest = task.events.slice(lost).map(({ type }) => type);
  expect(rest.slice(0, 4)).toEqual([
    'worker.lost',
    'task.status_changed',
    'task.status_changed',
    'attempt.started',
  ]);
  expect(task.events.filter(({ type }) => type === TAKEN_OVER)).toEqual([
    { type: TAKEN_OVER, data: { from: workerId, to: expect.any(String), ...found } },
  ]);
  expect(rest.indexOf(TAKEN_OVER)).toBe(4);
});

it('tells of nothing that was left where a worker gave its task back in order', async () => {
  const world = new World();
  const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'Done.' });
  const { run } = world.read;
  world.read.run = (args, context, signal) => {
    world.yields = true;
    return run(args, context, signal);
  };
  const lease = await world.store.claimNext('worker_1');
  expect(lease && (await runTask(lease, world.deps(), never))).toEqual({ kind: 'yielded' });
  world.yields = false;
  await world.drain();
  expect(task.outcome?.state).toBe('completed');
  expect(task.events.map(({ type }) => type)).not.toContain(TAKEN_OVER);
});

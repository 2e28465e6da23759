/** Cases in which other systems went wrong, and that no other spec of the loop tells by itself (docs/bug-cases.md). */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@bullpen/contracts';
import { emptyStep, runTask } from '@bullpen/core';
import { aDefinition, type ScriptedStep } from '@bullpen/testing';
import { countingTool, never, results, World } from '../../test/loop-world.js';

const TOOLS = ['read', 'act', 'spawn_subtask', 'wait_for_subtasks'];
const spawn = (agent = 'helper') => ({ name: 'spawn_subtask', input: { agent, prompt: 'Help.' } });

/** Waits for every task that the last results name. */
const waitForAll: ScriptedStep = (request) => {
  const ids = JSON.stringify(request.messages.at(-1)).match(/task_\d+/g) ?? [];
  return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: ids } }] };
};

let world: World;
beforeEach(() => {
  world = new World();
  world.agents.push(aDefinition({ name: 'helper', tools: [] }));
});

async function runOne() {
  const lease = await world.store.claimNext('worker_1');
  if (!lease) throw new Error('nothing to claim');
  return runTask(lease, world.deps(), never);
}

describe('an empty answer', () => {
  it('ends its turn: the request after it is the first call of the next one, as it is after a crash', async () => {
    const task = world.submit({}, { text: '' }, { text: 'Here.' });
    await world.drain();
    world.model.assertDone();
    expect([...task.modelCalls.values()].map(({ turn, attempt }) => [turn, attempt])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(task.outcome?.output).toBe('Here.');
  });
});

describe('a worker that is lost in the midst of calls', () => {
  it('leaves what was stored, tells the model of the call that was cut off, and the next worker runs the rest', async () => {
    const act = countingTool('act', 'execute', 'report', (args) => {
      if (JSON.stringify(args) === '{"n":2}') world.store.expire('task_root');
      return { kind: 'result', output: `acted ${JSON.stringify(args)}` };
    });
    world.tools = [world.read, act];
    const calls = [1, 2, 3].map((n) => ({ name: 'act', input: { n } }));
    const task = world.submit({}, { toolCalls: calls }, { text: 'Done.' });
    expect(await runOne()).toEqual({ kind: 'stopped' });
    await world.drain();
    world.model.assertDone();
    expect(act.runs).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const [first, second, third] = results(task, 3);
    expect(first).toMatchObject({ text: 'acted {"n":1}', error: false });
    expect(second).toMatchObject({ text: expect.stringContaining('act'), error: true });
    expect(third).toMatchObject({ text: 'acted {"n":3}', error: false });
  });

  it('fails a task whose history cannot be read, and leaves the rows as they are', async () => {
    const task = world.submit({});
    const before = structuredClone(task.messages);
    world.store.load = () => Promise.reject(new AppError('history_corrupt', 'Row 1 is no message.'));
    await runOne();
    expect(task.outcome).toMatchObject({ state: 'failed', failure: { code: 'history_corrupt' } });
    expect(task.messages).toEqual(before);
  });
});

/** Ends a subtask that nobody runs, as its worker or a person would. */
function end(taskId: string, state: 'completed' | 'failed' | 'cancelled'): void {
  if (state === 'cancelled') return world.store.requestCancel(taskId);
  const failure = { cause: 'error' as const, code: 'model_failed', message: 'It failed.' };
  const outcome =
    state === 'completed'
      ? { state, cause: 'goal' as const, output: 'ok', partial: false, failure: null }
      : { state, cause: 'error' as const, output: null, partial: false, failure };
  void world.store.claim(taskId, 1, 'worker_2');
  const lease = { taskId, epoch: 1, workerId: 'worker_2' };
  void world.store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome } });
}

describe('subtasks', () => {
  it('are spawned beside another call in one turn: both results come, in the order of the calls', async () => {
    const task = world.submit({ tools: TOOLS }, { toolCalls: [spawn(), { name: 'act' }] }, { text: 'Both.' });
    await runOne();
    expect(results(task, 3).map(({ text }) => text.replace(/task_\d+/, 'id'))).toEqual([
      '{"taskId":"id","workspace":"shared"}',
      'acted',
    ]);
    expect(world.act.runs).toHaveLength(1);
  });

  it.each(['cancelled', 'failed', 'completed'] as const)(
    'that were %s before the parent waits are a result at once, with their state and cause',
    async (state) => {
      let child = '';
      const task = world.submit(
        { tools: TOOLS },
        { toolCalls: [spawn()] },
        () => {
          child = [...world.store.tasks.keys()].at(-1) ?? '';
          end(child, state);
          return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [child] } }] };
        },
        { text: 'I see.' },
      );
      expect(await runOne()).toMatchObject({ kind: 'finished' });
      expect(world.store.get(child).state).toBe(state);
      const told = task.messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool_result' ? [block.content] : [])),
      );
      expect(told.at(-1)).toContain(`"status":"${state}"`);
      expect(task.events.filter(({ type }) => type === 'subtask.ended')).toHaveLength(1);
      expect(task.outcome).toMatchObject({ state: 'completed', output: 'I see.' });
    },
  );

  it('that nobody knows are an error result, and no wait for ever', async () => {
    const wait = { name: 'wait_for_subtasks', input: { taskIds: ['task_999'] } };
    const task = world.submit({ tools: TOOLS }, { toolCalls: [wait] }, { text: 'Alone, then.' });
    await world.drain();
    expect(results(task, 3)[0]).toMatchObject({ error: true, text: expect.stringContaining('task_999') });
    expect(task.outcome?.state).toBe('completed');
  });

  it('in one process each keep to what they may do', async () => {
    const approvals = { ...aDefinition().approvals, alwaysAllowExecute: false };
    world.agents.push(
      aDefinition({ name: 'careful', tools: ['act'], approvals }),
      aDefinition({ name: 'bold', tools: ['act'] }),
    );
    world.submit({ tools: TOOLS }, { toolCalls: [spawn('careful'), spawn('bold')] }, waitForAll);
    await runOne();
    world.model.push({ toolCalls: [{ name: 'act' }] }, { text: 'denied' });
    await runOne();
    expect(world.act.runs).toHaveLength(0);
    world.model.push({ toolCalls: [{ name: 'act' }] }, { text: 'acted' }, { text: 'Done.' });
    await world.drain();
    expect(world.act.runs).toHaveLength(1);
    expect(world.store.get('task_root').outcome?.state).toBe('completed');
  });
});

describe('the limit on working time', () => {
  it('stands still while the task waits for a subtask, however long', async () => {
    const limits = { ...aDefinition().limits, activeMs: 60_000 };
    const task = world.submit({ tools: TOOLS, limits }, { toolCalls: [spawn()] }, waitForAll);
    await runOne();
    expect(task.state).toBe('waiting');
    world.clock += 7_200_000;
    world.model.push({ text: 'helped' }, { text: 'Done.' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', cause: 'goal' });
    expect(task.record.activeMs).toBeLessThan(60_000);
  });
});

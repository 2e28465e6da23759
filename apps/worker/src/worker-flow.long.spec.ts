/** Queues and workers that somebody pauses or drains: real workers and Postgres, both queue backends, a scripted model. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DEFAULT_LIMITS } from '@bullpen/core';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { Dispatches, Flows } from '@bullpen/store';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/** `read N` turns, `fan N` subtasks that read, anything else is said at once. */
function general(turn: AgentTurn): Reply {
  const [verb, argument = ''] = (turn.prompt ?? '').split(' ');
  const spawned = turn.allToolResults.filter(({ name }) => name === 'spawn_subtask');
  if (verb === 'read')
    return turn.turnIndex < Number(argument)
      ? { toolCalls: [{ name: 'list_files', input: { depth: turn.turnIndex + 1 } }] }
      : { text: `read ${argument}` };
  if (verb !== 'fan') return { text: 'said' };
  if (turn.allToolResults.some(({ name }) => name === 'wait_for_subtasks')) return { text: 'fanned' };
  if (spawned.length === 0)
    return {
      toolCalls: Array.from({ length: Number(argument) }, () => ({
        name: 'spawn_subtask',
        input: { agent: 'general', prompt: 'read 2' },
      })),
    };
  const taskIds = spawned.map(({ text }) => (JSON.parse(text) as { taskId: string }).taskId);
  return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds } }] };
}

const scenario = defineScenario({ name: 'flow-spec', agents: { general } });

for (const backend of queueBackends()) {
  backend.describe('flow', () => {
    let world: WorkerWorld;
    let flows: Flows;
    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
      flows = new Flows(world.pool);
    });
    beforeEach(() => world.pool.query('DELETE FROM repairs'));
    afterEach(async () => {
      await queue('open');
      await world.stopWorkers();
    });
    afterAll(() => world.close());

    const change = { by: 'spec', reason: null };
    const queue = (state: 'open' | 'paused' | 'draining') => flows.changeQueue('tasks', { ...change, state });
    const worker = (id: string, state: 'open' | 'paused' | 'draining') =>
      flows.changeWorker(id, { ...change, state });
    const epochs = async (ids: readonly string[]) =>
      (
        await world.pool.query<{ epoch: number }>('SELECT epoch FROM tasks WHERE id = ANY ($1) ORDER BY id', [
          ids,
        ])
      ).rows.map(({ epoch }) => epoch);
    const several = (count: number, prompt: string) =>
      Promise.all(Array.from({ length: count }, () => world.submit(prompt)));
    const allEnd = (ids: readonly string[]) => Promise.all(ids.map((id) => world.until(id, 'completed')));
    /** Ids of the workers that took a task, in order. */
    const takers = async (id: string) =>
      (
        await world.pool.query<{ id: string }>(
          `SELECT data ->> 'workerId' AS id FROM ui_events WHERE task_id = $1 AND type = 'attempt.started' ORDER BY seq`,
          [id],
        )
      ).rows.map((row) => row.id);
    const expectNoRepairs = async () => {
      expect((await world.pool.query('SELECT kind FROM repairs WHERE count > 0')).rows).toEqual([]);
      await world.expectInvariants();
    };

    it('a paused queue lets nothing start and what runs end; opened again it goes on, with nothing to repair', async () => {
      await world.start({ WORKER_SLOTS: '2' });
      const running = await world.submit('read 8');
      await waitFor(async () => (await epochs([running]))[0] === 1, { what: 'the first to run' });
      // More than there are slots: some of them are announced, and not claimed, when the pause comes.
      const early = await several(6, 'read 4');
      await queue('paused');
      const begun = await epochs(early);
      const late = await several(4, 'say');
      expect(await new Dispatches(world.pool).admit([])).toEqual([]);
      await world.until(running, 'completed');
      await waitFor(
        async () => (await world.pool.query(`SELECT FROM tasks WHERE state = 'running'`)).rowCount === 0,
        { what: 'all runs to end' },
      );
      expect([await epochs(early), await epochs(late)]).toEqual([begun, [0, 0, 0, 0]]);
      const { rows } = await world.pool.query('SELECT FROM dispatches WHERE announced_at IS NOT NULL');
      expect(rows).toEqual([]);
      await queue('open');
      await allEnd([...early, ...late]);
      await expectNoRepairs();
    });

    it('a drained queue brings trees that have begun to their end and begins no other', async () => {
      const tree = await world.submit('fan 3');
      await world.start({ WORKER_SLOTS: '1' });
      await waitFor(async () => (await epochs([tree]))[0] !== 0, { what: 'the tree to begin' });
      await queue('draining');
      const late = await several(3, 'say');
      await world.until(tree, 'completed');
      expect(await epochs(late)).toEqual([0, 0, 0]);
      await queue('open');
      await allEnd(late);
      await expectNoRepairs();
    });

    it('a paused worker takes nothing, however idle it is, until it is opened again', async () => {
      const [first, second] = await Promise.all([world.start(), world.start()]);
      await worker(first.id, 'paused');
      const tasks = await several(12, 'say');
      await allEnd(tasks);
      expect(new Set((await Promise.all(tasks.map(takers))).flat())).toEqual(new Set([second.id]));
      await worker(first.id, 'open');
      await worker(second.id, 'paused');
      const more = await several(6, 'say');
      await allEnd(more);
      expect(new Set((await Promise.all(more.map(takers))).flat())).toEqual(new Set([first.id]));
      await expectNoRepairs();
    });

    it('a drained worker gives what it runs to others, and lives on', async () => {
      const first = await world.start({ RENEW_MS: '200' });
      const task = await world.submit('read 95', { limits: { ...DEFAULT_LIMITS, turns: 500 } });
      await waitFor(async () => (await takers(task)).length === 1, { what: 'the task to start' });
      await worker(first.id, 'draining');
      await waitFor(async () => (await world.task(task)).worker_id === null, { what: 'it to be given back' });
      const second = await world.start();
      await world.until(task, 'completed');
      expect(await takers(task)).toEqual([first.id, second.id]);
      const { rows } = await world.pool.query('SELECT stopped_at, flow FROM workers WHERE id = $1', [
        first.id,
      ]);
      expect(rows).toEqual([{ stopped_at: null, flow: 'draining' }]);
      await expectNoRepairs();
    });
  });
}

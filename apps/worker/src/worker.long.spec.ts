/**
 * Whole trees of tasks on real workers: real Postgres, both queue backends, a model over HTTP that is scripted. Slow, because
 * everything is done on both backends, and leases, deadlines and drains have to pass.
 */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '@bullpen/core';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { openBullQueue } from '@bullpen/queue';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/** The prompt of a task says what its agent does: `say X`, `read N` turns, `tree N` levels of one child each, `fan N`, `hang S` seconds. */
function general(turn: AgentTurn): Reply {
  const [verb, argument = ''] = (turn.prompt ?? '').split(' ');
  const spawned = turn.allToolResults
    .filter(({ name }) => name === 'spawn_subtask')
    .map(({ text }) => (JSON.parse(text) as { taskId: string }).taskId);
  const waited = turn.allToolResults.find(({ name }) => name === 'wait_for_subtasks');
  const spawn = (prompt: string) => ({ name: 'spawn_subtask', input: { agent: 'general', prompt } });
  if (verb === 'say') return { text: argument };
  if (verb === 'hang')
    return turn.allToolResults.length === 0
      ? { toolCalls: [{ name: 'run_command', input: { command: `sleep ${argument}` } }] }
      : { text: `went on after: ${turn.allToolResults[0]?.text}` };
  if (verb === 'read')
    return turn.turnIndex < Number(argument)
      ? { toolCalls: [{ name: 'list_files', input: { depth: turn.turnIndex + 1 } }] }
      : { text: `read ${argument}` };
  if (waited)
    return {
      text: `children: ${(JSON.parse(waited.text) as { subtasks: { output: string }[] }).subtasks.map(({ output }) => output).join(' ')}`,
    };
  if (spawned.length > 0) return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: spawned } }] };
  if (verb === 'tree')
    return Number(argument) === 0 ? { text: 'leaf' } : { toolCalls: [spawn(`tree ${Number(argument) - 1}`)] };
  return { toolCalls: Array.from({ length: Number(argument) }, (_, n) => spawn(`say ${n}`)) };
}

/** Ids of the processes whose arguments hold the text; arguments are NUL-separated. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(text);
    } catch {
      return false; // It has just ended.
    }
  });
}

const scenario = defineScenario({ name: 'worker-spec', agents: { general } });

/** What FLUSHALL is to Redis. */
async function flushPostgresQueue(pool: WorkerWorld['pool']): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT format('bullmq.%I', tablename) AS name FROM pg_tables WHERE schemaname = 'bullmq' AND tablename LIKE '%job%'`,
  );
  await pool.query(`TRUNCATE ${rows.map(({ name }) => name).join(', ')} CASCADE`);
}

for (const backend of queueBackends()) {
  backend.describe('workers', () => {
    let world: WorkerWorld;
    let pool: WorkerWorld['pool'];
    let sim: WorkerWorld['sim'];
    let queue: WorkerWorld['queue'];
    let commands: WorkerWorld['commands'];

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
      ({ pool, sim, queue, commands } = world);
    });
    afterEach(() => world.stopWorkers());
    afterAll(() => world.close());

    const start = (env?: Record<string, string>) => world.start(env);
    const submit = (prompt: string, limits: { turns?: number } = {}, runAt: Date | null = null) =>
      world.submit(prompt, { limits: { ...DEFAULT_LIMITS, ...limits } }, runAt);

    const look = async (ids: readonly string[]) =>
      (
        await pool.query<{ state: string; output: unknown; epoch: number }>(
          'SELECT state, output, epoch FROM tasks WHERE id = ANY ($1) ORDER BY array_position($1, id)',
          [ids],
        )
      ).rows;
    const ended = (ids: readonly string[], timeoutMs = 60_000) =>
      waitFor(
        async () =>
          (await look(ids)).every(({ state }) => ['completed', 'failed', 'cancelled'].includes(state)),
        { what: `${ids.length} tasks to end`, timeoutMs },
      );

    it('completes trees of depth three with one worker that has a single slot: who waits holds nothing', async () => {
      await start({ WORKER_SLOTS: '1' });
      const ids = await Promise.all(Array.from({ length: 4 }, () => submit('tree 3')));
      await ended(ids);
      for (const task of await look(ids))
        expect(task).toMatchObject({ state: 'completed', output: 'children: children: children: leaf' });
      await world.expectInvariants();
    });

    it('completes fifty tasks at once on two workers, each asked for once, with nothing to repair', async () => {
      await Promise.all([start(), start()]);
      const before = sim.requests().length;
      const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => submit(`say answer-${n}`)));
      await ended(ids);
      expect((await look(ids)).map(({ output }) => output)).toEqual(ids.map((_, n) => `answer-${n}`));
      expect(sim.requests().length - before).toBe(50);
      const { rows } = await pool.query('SELECT kind FROM repairs WHERE count > 0');
      expect(rows).toEqual([]);
      await world.expectInvariants();
    });

    it('gives a parent the results of twenty parallel children, woken once', async () => {
      await Promise.all([start({ WORKER_SLOTS: '4' }), start({ WORKER_SLOTS: '4' })]);
      const id = await submit('fan 20');
      await ended([id]);
      const [task] = await look([id]);
      expect(task?.output).toBe(`children: ${Array.from({ length: 20 }, (_, n) => n).join(' ')}`);
      expect(task?.epoch).toBeLessThanOrEqual(2);
      await world.expectInvariants();
    });

    it('hands running tasks over when a worker drains, and pays for no answer twice', async () => {
      const first = await start({ WORKER_SLOTS: '2' });
      const before = sim.requests().length;
      const ids = [await submit('read 12'), await submit('read 12')];
      await waitFor(async () => (await look(ids)).every(({ epoch }) => epoch > 0), {
        what: 'the tasks to start',
      });
      await world.stop(first);
      await start();
      await ended(ids);
      expect((await look(ids)).map(({ output }) => output)).toEqual(['read 12', 'read 12']);
      expect(sim.requests().length - before).toBe(26);
      await world.expectInvariants();
    });

    it('gives wakes that it had taken to a worker that stays, when it is told to end, with nothing to repair', async () => {
      await pool.query('DELETE FROM repairs');
      const first = await start({ WORKER_SLOTS: '8' });
      const ids = await Promise.all(Array.from({ length: 40 }, () => submit('read 2')));
      const [, second] = await Promise.all([world.stop(first), start({ WORKER_SLOTS: '8' })]);
      await ended(ids);
      expect(second.id).not.toBe(first.id);
      const { rows } = await pool.query('SELECT kind FROM repairs WHERE count > 0');
      expect(rows).toEqual([]);
      await world.expectInvariants();
    });

    it('goes on from where a failed task stopped, with the limit raised, and pays for nothing again', async () => {
      await start();
      const before = sim.requests().length;
      const id = await submit('read 5', { turns: 2 });
      await ended([id]);
      expect((await look([id]))[0]).toMatchObject({ state: 'failed' });
      const again = (limits: { turns?: number }) =>
        commands.retry('default', id, { messageId: newId('inbox'), message: 'Finish it.', limits });
      expect(await again({})).toMatchObject({ kind: 'refused', pointer: '/limits/turns' });
      expect(await again({ turns: 50 })).toEqual({ kind: 'queued' });
      await ended([id]);
      expect((await look([id]))[0]).toMatchObject({ state: 'completed', output: 'read 5' });
      // Two turns and the grace turn of the first attempt; the second one only does what was left.
      expect(sim.requests().length - before).toBe(6);
      expect(await again({})).toMatchObject({ kind: 'refused', pointer: null });
      const { rows } = await pool.query('SELECT outcome FROM attempts WHERE task_id = $1 ORDER BY number', [
        id,
      ]);
      expect(rows).toEqual([{ outcome: 'turn_limit' }, { outcome: 'goal' }]);
      await world.expectInvariants();
    });

    it('records with the worker, the task and the call what holds the commands', async () => {
      await start();
      const id = await submit('hang 0');
      await ended([id]);
      const { rows } = await pool.query<{ worker: string; task: string; call: string; told: string }>(
        `SELECT w.sandbox AS worker, t.sandbox AS task, c.sandbox AS call, e.data ->> 'sandbox' AS told
         FROM tasks t JOIN tool_calls c ON c.task_id = t.id JOIN ui_events e ON e.task_id = t.id AND e.type = 'tool.started'
           JOIN workers w ON w.stopped_at IS NULL
         WHERE t.id = $1`,
        [id],
      );
      const [row] = rows;
      expect(row?.worker).toMatch(/^(bubblewrap|docker|podman|none)$/);
      expect(rows).toEqual([
        { worker: row?.worker, task: row?.worker, call: row?.worker, told: row?.worker },
      ]);
    });

    it('pauses at once: the running command dies, no slot is held, and the resumed task hears what was cut off', async () => {
      await start({ WORKER_SLOTS: '1' });
      const seconds = backend.name === 'redis' ? '36001' : '36002';
      const id = await submit(`hang ${seconds}`);
      await waitFor(() => processesWith(`sleep\0${seconds}`).length > 0, { what: 'the command to run' });
      expect(await commands.pause('default', id, true)).toBe('requested');
      await waitFor(async () => (await look([id]))[0]?.state === 'paused', { what: 'the pause' });
      expect(processesWith(`sleep\0${seconds}`)).toEqual([]);
      const other = await submit('say meanwhile');
      await ended([other]);
      expect(await commands.resume('default', id)).toBe('resumed');
      await ended([id]);
      expect((await look([id]))[0]).toMatchObject({
        state: 'completed',
        output: expect.stringContaining('run_command was interrupted'),
      });
      await world.expectInvariants();
    });

    it('leaves what it does for a message, and goes on with that', async () => {
      await start();
      const seconds = backend.name === 'redis' ? '36003' : '36004';
      const id = await submit(`hang ${seconds}`);
      await waitFor(() => processesWith(`sleep\0${seconds}`).length > 0, { what: 'the command to run' });
      const message = { id: newId('inbox'), text: 'Enough of that.' };
      expect(await commands.interrupt('default', id, message)).toBe('interrupted');
      await ended([id]);
      expect(processesWith(`sleep\0${seconds}`)).toEqual([]);
      const { rows } = await pool.query(
        `SELECT content::text AS content FROM api_messages WHERE task_id = $1 AND content::text LIKE '%Enough of that.%'`,
        [id],
      );
      expect(rows).toMatchObject([{ content: expect.stringContaining('run_command was interrupted') }]);
      await world.expectInvariants();
    });

    it('sums up at its deadline, whatever it is doing then', async () => {
      await start();
      const seconds = backend.name === 'redis' ? '36005' : '36006';
      const id = await submit(`hang ${seconds}`);
      await waitFor(() => processesWith(`sleep\0${seconds}`).length > 0, { what: 'the command to run' });
      await pool.query(`UPDATE tasks SET deadline_at = now() - interval '1 second' WHERE id = $1`, [id]);
      await ended([id]);
      const { rows } = await pool.query('SELECT state, stop_cause, partial FROM tasks WHERE id = $1', [id]);
      expect(rows).toEqual([{ state: 'failed', stop_cause: 'deadline', partial: true }]);
      expect(processesWith(`sleep\0${seconds}`)).toEqual([]);
      await world.expectInvariants();
    });

    it('leaves a failed job for a failed task, whose retry button gives the task another attempt', async () => {
      await start();
      const board = openBullQueue(world.connection);
      board.on('error', () => undefined);
      await board.waitUntilReady();
      const jobOf = async (id: string, wake = 1) => {
        const job = await board.getJob(`${id}-${wake}`);
        return job && { job, state: await job.getState(), reason: job.failedReason };
      };
      try {
        const id = await submit('read 5', { turns: 2 });
        const failed = await waitFor(async () => ((await jobOf(id))?.state === 'failed' ? jobOf(id) : null), {
          what: 'the failed job',
        });
        expect(failed.reason).toMatch(/^turn_limit: /);

        // There is no room: the job fails again and says so.
        await failed.job.retry();
        await waitFor(async () => (await jobOf(id))?.reason?.includes('limits.turns'), {
          what: 'the refusal',
        });
        expect((await look([id]))[0]).toMatchObject({ state: 'failed' });

        await pool.query(
          `UPDATE tasks SET definition = (jsonb_set(definition::jsonb, '{limits,turns}', '50'))::json WHERE id = $1`,
          [id],
        );
        await failed.job.retry();
        await waitFor(async () => (await look([id]))[0]?.state === 'completed', {
          what: 'the task',
        });
        expect((await look([id]))[0]).toMatchObject({ output: 'read 5' });
        await waitFor(async () => (await jobOf(id))?.state === 'completed', { what: 'the pressed job' });
        await waitFor(async () => (await jobOf(id, 2))?.state === 'completed', {
          what: 'the job of the attempt',
        });
        const { rows } = await pool.query('SELECT outcome FROM attempts WHERE task_id = $1 ORDER BY number', [
          id,
        ]);
        expect(rows).toEqual([{ outcome: 'turn_limit' }, { outcome: 'goal' }]);
        await world.expectInvariants();
      } finally {
        await board.close();
      }
    });

    it('shows a task that may not begin yet as a delayed job, and not any longer when it is cancelled', async () => {
      await start();
      const id = await submit('say later', {}, new Date(Date.now() + 3_600_000));
      await waitFor(async () => (await queue.depth()).delayed === 1, {
        what: 'the delayed job',
      });
      await commands.cancel('default', id, null);
      await waitFor(async () => (await queue.depth()).delayed === 0, { what: 'it to go' });
      expect((await look([id]))[0]).toMatchObject({ state: 'cancelled', epoch: 0 });
    });

    it('begins a task when its time comes, also after it has had nothing to do for so long that other looks are seldom', async () => {
      const { id: workerId } = await start();
      const rested = `SELECT FROM workers WHERE id = $1 AND seen_at - started_at > interval '16 seconds'`;
      await waitFor(async () => (await pool.query(rested, [workerId])).rowCount === 1, {
        ...{ what: 'a long rest', everyMs: 1_000 },
      });
      // Nobody but the leader looks for it: it is not due when it is submitted, and nothing is announced later.
      const id = await submit('say at-last', {}, new Date(Date.now() + 2_000));
      await ended([id], 20_000);
      expect((await look([id]))[0]).toMatchObject({ state: 'completed', output: 'at-last' });
    });

    it('deletes what ended longer ago than is kept, with its workspace', async () => {
      const [old, young] = [await submit('say old'), await submit('say young')];
      const first = await start();
      await ended([old, young]);
      await pool.query(`UPDATE tasks SET ended_at = ended_at - interval '8 days' WHERE id = $1`, [old]);
      expect((await readdir(join(world.home, 'workspaces'))).sort()).toEqual(
        expect.arrayContaining([old, young]),
      );
      await world.stop(first);

      await start({ RETENTION_DAYS: '7' });
      await waitFor(async () => !(await readdir(join(world.home, 'workspaces'))).includes(old), {
        what: 'the workspace to go',
      });

      expect(await look([old, young])).toMatchObject([{ state: 'completed', output: 'young' }]);
      expect(await readdir(join(world.home, 'workspaces'))).toContain(young);
      await world.expectInvariants();
    });

    it('loses nothing when the queue loses everything', async () => {
      const ids = await Promise.all(Array.from({ length: 5 }, (_, n) => submit(`say again-${n}`)));
      await waitFor(async () => (await queue.depth()).waiting >= 5, { what: 'the announcements' });
      if (world.redis) await world.redis.flush();
      else await flushPostgresQueue(pool);
      expect((await queue.depth()).waiting).toBe(0);
      await start();
      await ended(ids);
      expect((await look(ids)).every(({ state }) => state === 'completed')).toBe(true);
      await world.expectInvariants();
    });
  });
}

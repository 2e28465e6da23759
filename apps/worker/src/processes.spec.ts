/** Commands that outlive their call, on real workers: real Postgres, a scripted model over HTTP. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { askOfProcess } from '@bullpen/store';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/**
 * The prompt is a list of steps: a line of shell in the background (`& line`), one that is waited for (`$ line`), `wait`, `kill`,
 * `ask`, or `say`. With none left the agent ends and says everything that it was told.
 */
function general(turn: AgentTurn): Reply {
  const steps = (turn.prompt ?? '').split('; then ');
  const step = steps[turn.allToolResults.length];
  const started = /proc_\w+/.exec(turn.allToolResults.map(({ text }) => text).join('\n'))?.[0];
  const call = (name: string, input: Record<string, unknown>) => ({ toolCalls: [{ name, input }] });
  if (step === undefined) return { text: JSON.stringify(turn.messages) };
  if (step.startsWith('& ')) return call('run_command', { command: step.slice(2), background: true });
  if (step.startsWith('$ ')) return call('run_command', { command: step.slice(2) });
  if (step === 'wait') return call('wait_process', { id: started });
  if (step === 'kill') return call('kill_process', { id: started });
  if (step === 'ask') return call('ask_user', { question: 'Go on?' });
  return call('list_processes', {});
}

const scenario = defineScenario({ name: 'processes-spec', agents: { general } });

describe('a command in the background', () => {
  let world: WorkerWorld;
  let pool: WorkerWorld['pool'];

  beforeAll(async () => {
    const [backend] = queueBackends();
    if (!backend) throw new Error('there is no queue backend');
    world = await WorkerWorld.open(backend, scenario);
    ({ pool } = world);
  });
  afterEach(async () => {
    await world.stopWorkers();
    await world.expectInvariants();
  });
  afterAll(() => world.close());

  interface Row {
    id: string;
    state: string;
    exit_code: number | null;
    cause: string | null;
    background: boolean;
    anchor_pid: number | null;
    worker_id: string;
  }
  const rows = async (taskId: string) =>
    (await pool.query<Row>('SELECT * FROM processes WHERE task_id = $1 ORDER BY id', [taskId])).rows;
  const running = async (taskId: string) => {
    await waitFor(
      async () => (await rows(taskId)).some((row) => row.state === 'running' && row.anchor_pid !== null),
      {
        what: 'the process to run',
      },
    );
    return (await rows(taskId)).at(-1) as Row;
  };
  const over = (taskId: string) =>
    waitFor(async () => (await rows(taskId)).every(({ state }) => state !== 'running'), { what: 'its end' });
  /** A command that goes on when there is this file in the workspace. */
  const until = (file: string) => `until [ -e ${file} ]; do sleep 0.05; done`;
  const make = async (taskId: string, file: string) => {
    const { rows: found } = await pool.query<{ path: string }>(
      'SELECT workspace_path AS path FROM tasks WHERE id = $1',
      [taskId],
    );
    await writeFile(join(found[0]?.path ?? '', file), '');
  };
  const isAlive = async (pid: number | null) => {
    const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    return status !== '' && !/^\d+ \(.*\) [ZX] /.test(status);
  };
  const gone = (pid: number | null) =>
    waitFor(async () => !(await isAlive(pid)), { what: 'the process to end' });

  it('returns at once, is waited for, and its end is told once', async () => {
    await world.start();
    // The call is stored a moment before it begins to wait.
    const id = await world.submit(`& ${until('waited-for')}; sleep 2; echo built; exit 3; then wait`);
    const call = `SELECT 1 FROM tool_calls WHERE task_id = $1 AND tool = 'wait_process'`;
    await waitFor(async () => (await pool.query(call, [id])).rowCount === 1, { what: 'the call that waits' });
    await make(id, 'waited-for');
    await world.until(id, 'completed');
    const { output } = await world.task(id);
    expect(output).toContain('runs in the background');
    expect(output).toMatch(/exit code 3\\nbuilt/);
    expect(output).not.toContain('[process]');
    expect(await rows(id)).toMatchObject([{ state: 'exited', exit_code: 3, cause: null, background: true }]);
  });

  it('ends with its task', async () => {
    await world.start();
    const id = await world.submit('& sleep 36020; then say');
    await world.until(id, 'completed');
    expect((await world.task(id)).output).toMatch(/runs in the background since .*sleep 36020/);
    await over(id);
    expect(await rows(id)).toMatchObject([{ state: 'killed', cause: 'its task has ended' }]);
  });

  it('is told of when it ends while the agent does something else', async () => {
    await world.start();
    const id = await world.submit(`& exit 5; then $ ${until('seen')}`);
    await waitFor(async () => (await rows(id)).length > 0, { what: 'the process' });
    await over(id);
    await make(id, 'seen');
    await world.until(id, 'completed');
    expect((await world.task(id)).output).toMatch(/\[process\] proc_\w+ \(exit 5\) exited with code 5/);
  });

  it('is killed by its agent', async () => {
    await world.start();
    const id = await world.submit('& sleep 36021; then kill');
    await world.until(id, 'completed');
    expect((await world.task(id)).output).toContain('stopped by kill_process; killed by SIGTERM');
    expect(await rows(id)).toMatchObject([{ state: 'killed', cause: 'stopped by kill_process' }]);
  });

  it('lives on while the task waits for a person, and is killed from outside', async () => {
    await world.start();
    const id = await world.submit('& sleep 36022; then ask', { autonomy: 'agent' });
    await world.until(id, 'waiting');
    const process = await running(id);
    expect(await isAlive(process.anchor_pid)).toBe(true);
    expect(await askOfProcess(pool, process.id, 'kill', 'ada')).toBe(true);
    await gone(process.anchor_pid);
    await over(id);
    expect(await rows(id)).toMatchObject([{ state: 'killed', cause: 'stopped by ada' }]);
    const [question] = await world.inbox(id);
    await world.answer(question?.id ?? '', { text: 'yes' });
    await world.until(id, 'completed');
    expect((await world.task(id)).output).toMatch(/\[process\] proc_\w+ \(sleep 36022\) stopped by ada/);
  });

  it('is ended when another worker goes on with the task, and the agent is told', async () => {
    const first = await world.start();
    const id = await world.submit('& sleep 36023; then ask', { autonomy: 'agent' });
    await world.until(id, 'waiting');
    const process = await running(id);
    await world.start();
    // The first worker takes no more wakes, but lives on with what it has started.
    await first.shutdownSteps[0]?.run();
    const [question] = await world.inbox(id);
    await world.answer(question?.id ?? '', { text: 'yes' });
    await world.until(id, 'completed');
    await gone(process.anchor_pid);
    expect(await rows(id)).toMatchObject([{ state: 'lost', worker_id: first.id }]);
    expect((await world.task(id)).output).toMatch(
      /\[process\] proc_\w+ .*was ended, because the task went on with another worker/,
    );
  });

  it('ends with its worker, and the agent is told', async () => {
    const first = await world.start();
    const id = await world.submit('& sleep 36024; then ask', { autonomy: 'agent' });
    await world.until(id, 'waiting');
    const process = await running(id);
    await world.stop(first);
    await gone(process.anchor_pid);
    expect(await rows(id)).toMatchObject([{ state: 'killed', cause: 'its worker stopped' }]);
    await world.start();
    const [question] = await world.inbox(id);
    await world.answer(question?.id ?? '', { text: 'yes' });
    await world.until(id, 'completed');
    expect((await world.task(id)).output).toContain('its worker stopped');
  });

  it('is what becomes of a running command that somebody moves there', async () => {
    await world.start();
    const id = await world.submit('$ echo begun; sleep 36025; then kill');
    const process = await running(id);
    await askOfProcess(pool, process.id, 'background', 'ada');
    await world.until(id, 'completed');
    expect((await world.task(id)).output).toContain('runs in the background (moved there by ada)');
    expect(await rows(id)).toMatchObject([{ state: 'killed', background: true }]);
  });
});

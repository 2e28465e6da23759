/** The worker as a process, as it was built: what becomes of it when a part of it fails. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { defineScenario } from '@bullpen/model-sim';
import { queueBackends, startProcess, waitFor, type TestProcess } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Gives SIGUSR2 the meaning that all threads are to die. */
const THREADS_DIE = `data:text/javascript,${encodeURIComponent(`
  import threads from 'node:worker_threads';
  import { syncBuiltinESMExports } from 'node:module';
  const all = [];
  threads.Worker = class extends threads.Worker { constructor(...args) { super(...args); all.push(this); } };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => all.forEach((thread) => thread.terminate()));
`)}`;

const scenario = defineScenario({
  name: 'worker-process',
  agents: {
    general: (turn) =>
      turn.allToolResults.length === 0
        ? { toolCalls: [{ name: 'run_command', input: { command: 'sleep 60' } }] }
        : { text: 'went on' },
  },
});

const [backend] = queueBackends();
(existsSync(MAIN) ? describe : describe.skip)('a worker process', () => {
  let world: WorkerWorld;
  let worker: TestProcess | null = null;

  beforeAll(async () => {
    if (backend) world = await WorkerWorld.open(backend, scenario);
  });
  afterEach(() => worker?.kill());
  afterAll(() => world.close());

  it('ends in order when the thread that renews its leases dies: its tasks are given back, and none is taken', async () => {
    worker = startProcess(MAIN, {
      ipc: true,
      execArgv: ['--import', THREADS_DIE],
      env: {
        ...{ DATABASE_URL: world.database.url, BULLPEN_HOME: world.home, DRAIN_MS: '5000' },
        ...{ ANTHROPIC_API_KEY: 'simulated', ANTHROPIC_BASE_URL: world.sim.url, MODEL_SIMULATED: 'true' },
      },
    });
    await worker.waitForOutput('worker is ready');
    // So its supervisor knows that it does not stand still.
    const messages: unknown[] = [];
    worker.child.on('message', (message) => messages.push(message));
    worker.child.send({ type: 'ping' });
    await waitFor(() => messages.some((message) => JSON.stringify(message) === '{"type":"pong"}'), {
      what: 'an answer',
    });
    const id = await world.submit('work');
    await world.until(id, 'running');
    worker.child.kill('SIGUSR2');
    expect(await worker.ended).toMatchObject({ code: 1 });
    expect(worker.output).toContain('The thread that renews leases is dead');
    const { rows } = await world.pool.query('SELECT state, crashes FROM tasks WHERE id = $1', [id]);
    expect(rows).toEqual([{ state: 'queued', crashes: 0 }]);
  });
});

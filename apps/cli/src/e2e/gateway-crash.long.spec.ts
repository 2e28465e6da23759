/** From the 201 on a task cannot be lost: not by an unreachable queue, and not by the death of the gateway before it told the queue. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@bullpen/client';
import { defineScenario, startModelSim, type ModelSim } from '@bullpen/model-sim';
import {
  assertNoProcessLeft,
  describeWithRedis,
  startProcess,
  testDatabase,
  testRedis,
  waitFor,
  type TestDatabase,
  type TestProcess,
  type TestRedis,
} from '@bullpen/testing';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const scenario = defineScenario({
  name: 'echo',
  agents: { general: ({ prompt }) => ({ text: `heard: ${prompt}` }) },
});

describeWithRedis('a gateway that dies between its answer and the queue', () => {
  let database: TestDatabase;
  let redis: TestRedis;
  let sim: ModelSim;
  let home: string;

  beforeAll(async () => {
    [database, redis, sim, home] = await Promise.all([
      testDatabase(),
      testRedis(),
      startModelSim({ scenarios: [scenario], speed: 'max' }),
      mkdtemp(join(tmpdir(), 'bullpen-crash-')),
    ]);
  });
  afterAll(async () => {
    await assertNoProcessLeft();
    await Promise.all([
      database.drop(),
      redis.stop(),
      sim.close(),
      rm(home, { recursive: true, force: true }),
    ]);
  });

  function start(app: 'gateway' | 'worker'): TestProcess {
    return startProcess(join(ROOT, `apps/${app}/dist/main.js`), {
      name: app,
      env: {
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        BULLPEN_HOME: home,
        PORT: '0',
        ANTHROPIC_API_KEY: 'simulated',
        ANTHROPIC_BASE_URL: sim.url,
        MODEL_SIMULATED: 'true',
      },
    });
  }

  async function connect(gateway: TestProcess) {
    const [, port] = await gateway.waitForOutput(/"port":(\d+)/, 60_000);
    return createClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: readFileSync(join(home, 'key'), 'utf8').trim(),
    });
  }

  it('loses no task that it answered with 201', async () => {
    const first = start('gateway');
    const client = await connect(first);
    await redis.kill();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await client.tasks.create({ prompt: `task ${n}` })).id);
    await first.kill();
    await redis.restart();

    const [second, worker] = [start('gateway'), start('worker')];
    const again = await connect(second);
    const outputs = await waitFor(
      async () => {
        const tasks = await Promise.all(ids.map((id) => again.tasks.get(id)));
        return tasks.every(({ state }) => state === 'completed') && tasks.map(({ output }) => output);
      },
      { what: 'the five tasks to complete', everyMs: 100 },
    );
    expect(outputs).toEqual(ids.map((_, n) => `heard: task ${n}`));
    expect(await worker.stop()).toEqual({ code: 0, signal: null });
    expect(await second.stop()).toEqual({ code: 0, signal: null });
  }, 180_000);
});

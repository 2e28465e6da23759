/**
 * A restore whose worker dies before each of its statements, one after the other, and another worker that comes after it. Slow, because it does so at every
 * place; each restore goes back to what the one before it has taken away.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { Masker } from '@bullpen/core';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId, parseEnv, silentLogger, workerSettings } from '@bullpen/platform';
import { openEventBus, type EventBus } from '@bullpen/queue';
import type { createPool } from '@bullpen/store';
import { DueRestores, PostgresTaskStore, ProcessStore, ProviderKeys, Restores } from '@bullpen/store';
import { queueBackends, treeListing } from '@bullpen/testing';
import { FileTracker } from '@bullpen/tools';
import { WorkerWorld } from '../../test/worker-world.js';
import { LiveDeltas } from '../live-deltas.js';
import { loopDeps, providerKey } from '../loop-deps.js';
import { SharedGate } from '../provider-gate.js';
import type { WorkspaceRestores } from './restores.js';

type Pool = ReturnType<typeof createPool>;
interface Queried {
  query(statement: string, values?: unknown[]): Promise<unknown>;
}

const scenario = defineScenario({ name: 'broken-restores', agents: { general: writes } });
const FILES = 3;

function writes({ lastToolResults }: AgentTurn): Reply {
  const last = Number(lastToolResults[0]?.text.match(/f(\d)/)?.[1] ?? 0);
  if (last === FILES) return { text: 'ok' };
  const path = `f${last + 1}`;
  return { toolCalls: [{ name: 'write_file', input: { path, content: path } }] };
}

/** The connections of processes that die before their n-th statement: what was open is rolled back. */
function dying(pool: Pool) {
  let left = 0;
  const step = (): void => {
    left -= 1;
    if (left < 0) throw new Error('the process died');
  };
  const stepping = (of: Queried) => async (statement: string, values?: unknown[]) => {
    step();
    return of.query(statement, values);
  };
  const connect = async () => {
    const client = await pool.connect();
    const rest = {
      on: client.on.bind(client),
      off: client.off.bind(client),
      release: client.release.bind(client),
    };
    return { ...rest, query: stepping(client) };
  };
  return {
    pool: { query: stepping(pool), connect } as unknown as Pool,
    begin: (statements: number) => (left = statements),
    isDead: () => left < 0,
  };
}

const [backend] = queueBackends();
let world: WorkerWorld;
let bus: EventBus;
beforeAll(async () => {
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, scenario);
  bus = openEventBus(world.connection, silentLogger());
});
afterAll(async () => {
  await world.expectInvariants();
  await bus.close();
  await world.close();
});

/** What restores files in a worker, on these connections. */
async function restorer(pool: Pool): Promise<WorkspaceRestores> {
  const settings = parseEnv(workerSettings, {
    ...{ DATABASE_URL: world.database.url, BULLPEN_HOME: world.home },
    ...{ ANTHROPIC_API_KEY: 'simulated', ANTHROPIC_BASE_URL: world.sim.url, MODEL_SIMULATED: 'true' },
  });
  const logger = silentLogger();
  const nothing = () => undefined;
  const keys = new ProviderKeys({ pool, onCommitted: nothing, onChanged: nothing });
  const run = await loopDeps({
    ...{
      settings,
      logger,
      pool,
      live: new LiveDeltas(bus),
      tracker: new FileTracker(),
      workerId: newId('worker'),
    },
    ...{
      masker: new Masker(),
      commandPath: '/usr/bin:/bin',
      gate: new SharedGate({ key: providerKey(settings), keys, logger }),
    },
    store: new PostgresTaskStore({ pool, leaseMs: settings.LEASE_MS, newId }),
    ...{ records: new ProcessStore({ pool, newId }), due: new DueRestores({ pool, newId }) },
  });
  return run.restores;
}

it('is done by the worker that comes next, wherever it broke off, and can be undone', async () => {
  const worker = await world.start();
  const id = await world.submit('go');
  await world.until(id, 'completed');
  await world.stop(worker);
  const folder = join(world.home, 'workspaces', id);
  const requests = new Restores({ pool: world.pool, newId });
  const { rows } = await world.pool.query<{ id: string }>(
    'SELECT id FROM checkpoints WHERE workspace_id = $1 ORDER BY number',
    [id],
  );
  let target = rows[0]?.id ?? '';
  let expected: readonly string[] = [];
  let current = treeListing(folder);
  expect(current).toHaveLength(FILES);
  const process = dying(world.pool);
  const [first, next] = [await restorer(process.pool), await restorer(world.pool)];
  let died = 0;
  for (let at = 0; ; at += 1) {
    const asked = await requests.request('default', id, {
      ...{ id: newId('restore'), checkpointId: target, what: 'files', dryRun: false, by: 'somebody' },
    });
    if (asked.kind !== 'accepted') throw new Error(JSON.stringify(asked));
    process.begin(at);
    await first.look().catch(() => undefined);
    await next.look();
    const view = await requests.find('default', asked.restore.id);
    expect([at, view?.state, treeListing(folder)]).toEqual([at, 'done', expected]);
    // There and back, each time to the state before.
    target = view?.before ?? '';
    [current, expected] = [expected, current];
    if (!process.isDead()) break;
    died += 1;
  }
  expect(died).toBeGreaterThan(10);
  const { rows: events } = await world.pool.query(
    `SELECT count(*)::int AS count FROM ui_events WHERE task_id = $1 AND type = 'workspace.restored'`,
    [id],
  );
  expect(events).toEqual([{ count: died + 1 }]);
}, 300_000);

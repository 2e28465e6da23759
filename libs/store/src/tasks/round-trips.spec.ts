import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  defineTool,
  NO_SECRETS,
  OPEN_GATE,
  runTask,
  success,
  withoutCheckpoints,
  type LoopDeps,
} from '@bullpen/core';
import { approvesAnyCommand } from '@bullpen/core/testing';
import { newId } from '@bullpen/platform';
import { createPool, PostgresTaskStore, TaskCommands } from '@bullpen/store';
import { aDefinition, ScriptedModel, testDatabase, type TestDatabase } from '@bullpen/testing';
import type { Pool } from 'pg';
import { z } from 'zod';

/** What a turn costs in round trips is what the product is fast by: a change that adds one fails here. */
let database: TestDatabase;
let pool: Pool;
let trips: string[];

beforeAll(async () => {
  database = await testDatabase();
  // One connection, so that every statement passes the same door.
  pool = createPool({ databaseUrl: database.url, max: 1, applicationName: 'round-trips' });
  const client = await pool.connect();
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  Object.assign(client, {
    query: (...args: unknown[]) => {
      const [first] = args;
      trips.push(typeof first === 'string' ? first : ((first as { name?: string }).name ?? 'unnamed'));
      return query(...args);
    },
  });
  trips = [];
  client.release();
  await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const noop = defineTool({
  name: 'noop',
  description: 'Does nothing.',
  group: 'write',
  resume: 'repeat',
  input: z.looseObject({}),
  run: () => success('ok'),
});

function depsOf(store: PostgresTaskStore, model: ScriptedModel): LoopDeps {
  return {
    store,
    model,
    tools: () => new Map([[noop.name, noop]]),
    setupTool: noop,
    workspace: () => Promise.resolve(withoutCheckpoints('/nowhere')),
    validate: () => [],
    priceOf: () => null,
    judgeCommand: approvesAnyCommand,
    gate: OPEN_GATE,
    masker: NO_SECRETS,
    now: Date.now,
    sleep: () => Promise.resolve(),
    timeout: () => new AbortController().signal,
    random: () => 0,
    newId,
    hash: (text) => String(text.length),
    emit: () => undefined,
    holdsLease: () => true,
    shouldYield: () => false,
  };
}

it('takes two round trips for a turn with one tool call, however many came before', async () => {
  const turns = 12;
  const store = new PostgresTaskStore({ pool, leaseMs: 15_000, newId });
  const limits = { ...aDefinition().limits, costUsd: null };
  const id = newId('task');
  const rest = { title: 'T', prompt: 'P', input: null, workspace: { kind: 'empty' as const }, priority: 0 };
  await new TaskCommands({ pool, newId }).create({
    ...rest,
    id,
    tenantId: 'default',
    definition: aDefinition({ tools: ['noop'], limits }),
    runAt: null,
    tags: [],
    metadata: {},
  });
  const model = new ScriptedModel(
    ...Array.from({ length: turns }, (_, n) => ({ toolCalls: [{ name: 'noop', input: { n } }] })),
    { text: 'Done.' },
  );
  trips = [];
  const lease = await store.claim(id, 1, 'worker_a');
  if (!lease) throw new Error('nothing to claim');
  const end = await runTask(lease, depsOf(store, model), new AbortController().signal);
  expect(end).toMatchObject({ kind: 'finished', outcome: { state: 'completed' } });
  expect(trips).toEqual([
    'claim-task',
    'load-task',
    'commit-step-lean', // The intent of the first model call.
    ...Array.from({ length: turns }, () => ['commit-step-lean', 'commit-step-lean']).flat(),
    // The end locks the row that it may wake. All of it is sent at once: one round trip.
    'BEGIN',
    "SET LOCAL lock_timeout = '1s'",
    'lock-families',
    'commit-step-childless',
    'close-edges',
    'COMMIT',
  ]);
});

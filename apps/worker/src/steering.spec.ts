/** People who steer tasks on a real worker: real Postgres, a model over HTTP that is scripted and slow. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Autonomy, SendStrategy } from '@bullpen/contracts';
import { BUILTIN_AGENTS } from '@bullpen/core';
import { defineScenario, startModelSim, type AgentTurn, type ModelSim, type Reply } from '@bullpen/model-sim';
import { newId, parseEnv, silentLogger, workerSettings } from '@bullpen/platform';
import { Announcer, openEventBus, openTaskQueue, type EventBus, type TaskQueue } from '@bullpen/queue';
import { checkInvariants, createPool, Dispatches, TaskCommands } from '@bullpen/store';
import { startWorker, type RunningWorker } from '@bullpen/worker';
import { testDatabase, waitFor, type TestDatabase } from '@bullpen/testing';

/** Whoever is told to hang runs a command that does not end; who hears anything else says what it heard last. */
function general({ messages }: AgentTurn): Reply {
  const said = JSON.stringify(messages);
  const heard = /(?:first|second|third) word/g;
  const last = said.match(heard)?.at(-1);
  if (last !== undefined) return { text: `heard the ${last}, of ${messages.length} messages` };
  if (said.includes('talk')) return { text: 'word '.repeat(50_000) };
  return { toolCalls: [{ name: 'run_command', input: { command: 'sleep 36010' } }] };
}

describe('a person who steers a task at work', () => {
  let database: TestDatabase;
  let sim: ModelSim;
  let pool: ReturnType<typeof createPool>;
  let home: string;
  let queue: TaskQueue;
  let bus: EventBus;
  let commands: TaskCommands;
  let worker: RunningWorker;

  beforeAll(async () => {
    [database, home] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'bullpen-steering-'))]);
    await chmod(home, 0o711); // Commands run as another user when the tests are root.
    sim = await startModelSim({
      scenarios: [defineScenario({ name: 'steering-spec', agents: { general } })],
      speed: 1,
    });
    pool = createPool({ databaseUrl: database.url, max: 6, applicationName: 'steering-spec' });
    const connection = { kind: 'postgres' as const, databaseUrl: database.url };
    queue = openTaskQueue(connection, silentLogger());
    bus = openEventBus(connection, silentLogger());
    const announcer = new Announcer({ queue, bus, backlog: new Dispatches(pool), logger: silentLogger() });
    commands = new TaskCommands({ pool, newId, onCommitted: (effects) => announcer.committed(effects) });
    await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
    const settings = parseEnv(workerSettings, {
      ...{ DATABASE_URL: database.url, BULLPEN_HOME: home, ANTHROPIC_API_KEY: 'simulated' },
      ...{ ANTHROPIC_BASE_URL: sim.url, MODEL_SIMULATED: 'true' },
    });
    worker = await startWorker({
      settings: { ...settings, DATABASE_URL: database.url },
      ...{ logger: silentLogger(), version: '0', commandPath: '/usr/bin:/bin' },
    });
  }, 60_000);
  afterEach(async () => {
    expect((await checkInvariants(pool)).filter(({ holds }) => !holds)).toEqual([]);
  });
  afterAll(async () => {
    for (const step of worker.shutdownSteps) await step.run();
    await Promise.all([queue.close(), bus.close(), sim.close(), pool.end()]);
    await Promise.all([database.drop(), rm(home, { recursive: true, force: true })]);
  });

  async function submit(prompt: string, autonomy: Autonomy = 'background'): Promise<string> {
    const id = newId('task');
    const agent = BUILTIN_AGENTS.find(({ name }) => name === 'general');
    if (!agent) throw new Error('no general agent');
    const definition = { ...agent, model: 'claude-sonnet-5-5', autonomy };
    await commands.create({
      ...{ id, tenantId: 'default', title: prompt, definition, prompt, input: null, priority: 0 },
      ...{ workspace: { kind: 'empty' }, runAt: null, tags: [], metadata: {} },
    });
    return id;
  }
  const send = (id: string, text: string, strategy?: SendStrategy) =>
    commands.sendMessage('default', id, { id: newId('inbox'), text, ...(strategy && { strategy }) });
  const count = async (sql: string, id: string) =>
    (await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql} AND task_id = $1`, [id])).rows[0]
      ?.n;
  const hangs = (id: string) =>
    waitFor(async () => (await count(`tool_calls WHERE status = 'calling'`, id)) === 1, {
      what: 'the command',
    });
  const stateOf = async (id: string) =>
    (await pool.query<{ state: string }>('SELECT state FROM tasks WHERE id = $1', [id])).rows[0]?.state;
  const reaches = (id: string, state: string) =>
    waitFor(async () => (await stateOf(id)) === state, { what: `${id} ${state}`, timeoutMs: 30_000 });
  const history = async (id: string) =>
    (
      await pool.query<{ role: string; text: string; dropped: boolean }>(
        'SELECT role, content::text AS text, dropped_at IS NOT NULL AS dropped FROM api_messages WHERE task_id = $1 ORDER BY seq',
        [id],
      )
    ).rows;

  it('interrupts it: the call is told to the agent as cut off, with the message', async () => {
    const id = await submit('hang');
    await hangs(id);
    expect(await send(id, 'first word', 'interrupt')).toBe('queued');
    await reaches(id, 'completed');
    const [, , told] = await history(id);
    expect(told?.text).toContain('run_command was interrupted');
    expect(told?.text).toContain('first word');
  });

  it('rolls it back: the turn with its call is no part of the conversation any more, but the agent knows of it', async () => {
    const id = await submit('hang');
    await hangs(id);
    expect(await send(id, 'first word', 'rollback')).toBe('queued');
    await reaches(id, 'completed');
    const rows = await history(id);
    expect(rows.map(({ role, dropped }) => [role, dropped])).toEqual([
      ...[
        ['user', false],
        ['assistant', true],
        ['user', false],
        ['assistant', false],
      ],
    ]);
    expect(rows[2]?.text).toMatch(/run_command .*sleep 36010.*stopped while it ran/);
    expect(rows[3]?.text).toContain('heard the first word, of 2 messages');
    expect(await count(`tool_calls WHERE status = 'canceled'`, id)).toBe(1);
  });

  it('queues a message, lets it be changed meanwhile, and rejects one that is not to wait', async () => {
    const id = await submit('hang');
    await hangs(id);
    expect(await send(id, 'third word', 'reject')).toBe('busy');
    const messageId = newId('inbox');
    expect(await commands.sendMessage('default', id, { id: messageId, text: 'first word' })).toBe('queued');
    expect(await commands.changeMessage('default', id, messageId, 'second word')).toBe('changed');
    expect(await stateOf(id)).toBe('running');
    await commands.pause('default', id, true);
    await reaches(id, 'paused');
    await commands.resume('default', id);
    await reaches(id, 'completed');
    const text = JSON.stringify(await history(id));
    expect([text.includes('second word'), text.includes('first word')]).toEqual([true, false]);
    expect(await commands.changeMessage('default', id, messageId, 'x')).toBe('already_ended');
  });

  it('stops the answer of a conversation, of which nothing is kept, and rewinds it', async () => {
    const id = await submit('talk', 'chat');
    await waitFor(async () => (await count(`model_calls WHERE status = 'started'`, id)) === 1, {
      what: 'the answer to begin',
    });
    expect(await commands.interrupt('default', id, null)).toBe('interrupted');
    await reaches(id, 'waiting');
    expect((await history(id)).map(({ role }) => role)).toEqual(['user']);
    expect(await send(id, 'first word', 'reject')).toBe('queued');
    await waitFor(async () => (await history(id)).length === 3, { what: 'the answer' });
    await reaches(id, 'waiting');
    expect(await commands.rewind('default', id, { turns: 1 })).toMatchObject({
      kind: 'rewound',
      messages: 2,
    });
    expect(await send(id, 'second word')).toBe('queued');
    await waitFor(async () => (await history(id)).length === 5, { what: 'the other answer' });
    await reaches(id, 'waiting');
    expect((await history(id)).at(-1)?.text).toContain('heard the second word, of 2 messages');
  });
});

/** People who steer tasks on a real worker: real Postgres, a model over HTTP that is scripted and slow. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Autonomy, SendStrategy } from '@bullpen/contracts';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { newId } from '@bullpen/platform';
import { queueBackends, waitFor } from '@bullpen/testing';
import { WorkerWorld } from '../test/worker-world.js';

/** Whoever is told to hang runs a command that does not end; who hears anything else says what it heard last. */
function general({ messages }: AgentTurn): Reply {
  const said = JSON.stringify(messages);
  const heard = /(?:first|second|third) word/g;
  const last = said.match(heard)?.at(-1);
  if (last !== undefined) return { text: `heard the ${last}, of ${messages.length} messages` };
  if (said.includes('talk')) return { text: 'word '.repeat(50_000) };
  return { toolCalls: [{ name: 'run_command', input: { command: 'sleep 36010' } }] };
}

const scenario = defineScenario({ name: 'steering-spec', agents: { general } });

describe('a person who steers a task at work', () => {
  let world: WorkerWorld;
  let pool: WorkerWorld['pool'];
  let commands: WorkerWorld['commands'];

  beforeAll(async () => {
    const [backend] = queueBackends(); // What people say has nothing to do with the queue.
    if (!backend) throw new Error('there is no queue backend');
    world = await WorkerWorld.open(backend, scenario, { speed: 1 });
    ({ pool, commands } = world);
    await world.start();
  });
  afterEach(() => world.expectInvariants());
  afterAll(() => world.close());

  const submit = (prompt: string, autonomy: Autonomy = 'background') => world.submit(prompt, { autonomy });
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
    waitFor(async () => (await stateOf(id)) === state, { what: `${id} ${state}` });
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

  it('goes on with a message after it was cancelled in the middle of a command, and after it was completed', async () => {
    const id = await submit('hang');
    await hangs(id);
    await commands.cancel('default', id, 'enough');
    await reaches(id, 'cancelled');
    for (const [word, length] of [
      ['first word', 4],
      ['second word', 6],
    ] as const) {
      expect(await send(id, word)).toBe('queued');
      await reaches(id, 'completed');
      expect((await history(id)).at(-1)?.text).toContain(`heard the ${word}, of ${length} messages`);
    }
    expect((await history(id)).some(({ dropped }) => dropped)).toBe(false);
    const { rows } = await pool.query('SELECT outcome FROM attempts WHERE task_id = $1 ORDER BY number', [
      id,
    ]);
    expect(rows).toEqual([{ outcome: 'cancelled' }, { outcome: 'goal' }, { outcome: 'goal' }]);
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

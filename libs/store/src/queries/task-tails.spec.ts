/** Tasks and what comes after a place in them, on a real database. */
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { newId } from '@bullpen/platform';
import { aDefinition, testDatabase, type TestDatabase } from '@bullpen/testing';
import { TaskCommands } from '../tasks/commands.js';
import { createPool } from '../database/pool.js';
import { TaskTails } from './task-tails.js';

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
let tails: TaskTails;
beforeAll(async () => {
  database = await testDatabase();
  pool = createPool({ databaseUrl: database.url });
  await pool.query(`INSERT INTO tenants (id, name) VALUES ('a', 'a'), ('b', 'b')`);
}, 60_000);
beforeEach(() => {
  tails = new TaskTails(pool);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** A task of the tenant `a` with its first two events: `task.created` and `message.user`. */
async function aTask(): Promise<string> {
  const id = newId('task');
  await new TaskCommands({ pool, newId, onCommitted: () => undefined }).create({
    ...{ id, tenantId: 'a', title: 'T', definition: aDefinition(), prompt: 'p', input: null },
    ...{ workspace: { kind: 'empty' }, priority: 0, runAt: null, tags: [], metadata: {} },
  });
  return id;
}

it('gives a task with what comes after a place, in order and no more than was asked for', async () => {
  const taskId = await aTask();
  const ref = { tenantId: 'a', taskId };
  const whole = await tails.look(ref, 0, 10);
  expect(whole?.head).toEqual({ id: taskId, rootId: taskId, state: 'queued', eventSeq: 2 });
  expect(whole?.events.map(({ seq, type }) => [seq, type])).toEqual([
    [1, 'task.created'],
    [2, 'message.user'],
  ]);
  expect(whole?.events[0]).toEqual({
    ...{ taskId, rootId: taskId, seq: 1, type: 'task.created', data: expect.any(Object) as unknown },
    ...{ cursor: expect.stringMatching(/^\d+-\d+$/) as unknown, at: expect.stringMatching(/Z$/) as unknown },
  });
  expect((await tails.look(ref, 0, 1))?.events.map(({ seq }) => seq)).toEqual([1]);
  expect((await tails.look(ref, 1, 10))?.events.map(({ seq }) => seq)).toEqual([2]);
  expect(await tails.look(ref, 2, 10)).toEqual({ head: whole?.head, events: [] });
  expect(await tails.look(ref, 0, 0)).toEqual({ head: whole?.head, events: [] });
});

it('knows no task of another tenant, and none that is not there', async () => {
  expect(await tails.look({ tenantId: 'b', taskId: await aTask() }, 0, 10)).toBeNull();
  expect(await tails.look({ tenantId: 'a', taskId: newId('task') }, 0, 10)).toBeNull();
});

it('answers those that ask at the same moment in one look, each with its own', async () => {
  const [first, second] = [await aTask(), await aTask()];
  const query = jest.spyOn(pool, 'query');
  try {
    const answers = await Promise.all([
      tails.look({ tenantId: 'a', taskId: second }, 1, 10),
      tails.look({ tenantId: 'b', taskId: second }, 0, 10),
      tails.look({ tenantId: 'a', taskId: first }, 0, 10),
      tails.look({ tenantId: 'a', taskId: second }, 0, 1),
    ]);
    expect(answers.map((tail) => tail?.events.map(({ taskId, seq }) => [taskId, seq]))).toEqual([
      [[second, 2]],
      undefined,
      [
        [first, 1],
        [first, 2],
      ],
      [[second, 1]],
    ]);
    expect(query).toHaveBeenCalledTimes(1);
  } finally {
    query.mockRestore();
  }
});

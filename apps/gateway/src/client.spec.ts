/** The client and the gateway together. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createClient, type BullpenClient } from '@bullpen/client';
import { untilEventsShow } from '@bullpen/testing';
import { appendEvent, endTask, startTestGateway, type TestGateway } from './testing/test-gateway.js';

let bullpen: TestGateway;
let client: BullpenClient;
beforeAll(async () => {
  bullpen = await startTestGateway();
  client = createClient({ baseUrl: bullpen.url, apiKey: bullpen.key });
});
afterAll(() => bullpen?.close());

it('submits, watches and reads a task', async () => {
  const task = await client.tasks.create({ prompt: 'Say hello', tags: ['e2e'] });
  const seen: string[] = [];
  const watching = (async () => {
    for await (const event of client.tasks.stream(task.id)) seen.push(event.type);
  })();
  await appendEvent(bullpen, task.id, { type: 'error', data: { code: 'note', message: 'x' } });
  await endTask(bullpen, task.id);
  await watching;
  expect(seen).toEqual(['task.created', 'message.user', 'error', 'task.status_changed']);
  expect(await client.tasks.get(task.id)).toMatchObject({ state: 'completed', eventSeq: 4 });
  expect((await client.tasks.tree(task.id)).tasks).toHaveLength(1);
  expect(await client.tasks.attempts(task.id)).toHaveLength(1);
  expect((await client.tasks.toolCalls(task.id)).data).toEqual([]);
  expect((await client.tasks.modelCalls(task.id)).data).toEqual([]);
  expect((await client.tasks.apiHistory(task.id)).data).toHaveLength(1);
  expect((await client.tasks.uiHistory(task.id, { after: 3 })).data).toHaveLength(1);
  await untilEventsShow(bullpen.pool);
  expect((await client.tasks.events(task.id, { tree: true })).data).toHaveLength(4);
  expect((await client.tasks.usage(task.id)).tree.modelCalls).toBe(0);
});

it('lists page after page, by several states', async () => {
  const made = await Promise.all(
    Array.from({ length: 5 }, () => client.tasks.create({ prompt: 'many', tags: ['many'] })),
  );
  const seen: string[] = [];
  for await (const task of client.tasks.iterate({ tag: 'many', limit: 2, state: ['queued', 'running'] }))
    seen.push(task.id);
  expect(seen.sort()).toEqual(made.map(({ id }) => id).sort());
});

it('creates once for one idempotency key', async () => {
  const [first, second] = [
    await client.tasks.create({ prompt: 'k' }, { idempotencyKey: 'k' }),
    await client.tasks.create({ prompt: 'k' }, { idempotencyKey: 'k' }),
  ];
  expect(second).toEqual(first);
  await client.tasks.sendMessage(first.id, 'hi');
  expect((await client.tasks.messages(first.id)).data).toHaveLength(1);
  expect((await client.tasks.cancel(first.id)).state).toBe('cancelled');
});

it('reads the system', async () => {
  expect(await client.system.info()).toMatchObject({ queueBackend: 'postgres' });
  expect((await client.system.ready()).status).toBe('ready');
  expect((await client.agents.list()).length).toBeGreaterThan(0);
  expect((await client.loginLinks.create()).url).toContain('/login#');
  await expect(createClient({ baseUrl: bullpen.url, apiKey: 'bp_no' }).tasks.list()).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

/** What is read of many tasks at once is what each of them says alone. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { TaskView } from '@bullpen/contracts';
import { StoreWorld } from '../../test/store-world.js';
import { readTaskEvents } from './events.js';
import { readEvents, readHistories } from './histories.js';
import { listApiHistory, listToolCalls } from './task-details.js';
import { getExportedTree } from './tasks.js';

let world: StoreWorld;
let tree: readonly TaskView[];
const tenantId = 'default';

/** A root with children whose rows come with one read, and with several. */
beforeAll(async () => {
  world = await StoreWorld.open();
  const rootId = await world.create();
  const sizes = [20, 700, 3, 0, 499, 40, 1_000];
  for (const size of sizes) {
    const id = await world.create();
    await world.pool.query('UPDATE tasks SET parent_id = $2, root_id = $2, event_seq = $3 WHERE id = $1', [
      ...[id, rootId],
      size + 10,
    ]);
    await world.pool.query(
      `INSERT INTO ui_events (task_id, root_id, tenant_id, seq, type, data)
       SELECT $1, $2, 'default', n + 10, 'message.user', json_build_object('text', n) FROM generate_series(1, $3::int) n`,
      [id, rootId, size],
    );
    await world.pool.query(
      `INSERT INTO api_messages (id, task_id, seq, turn, epoch, role, content)
       SELECT $1 || 'm' || n, $1, n + 10, n, 1, 'user', '[]' FROM generate_series(1, $2::int) n`,
      [id, size],
    );
    await world.pool.query(
      `INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments)
       SELECT $1 || 'c' || n, $1, $1 || 'm1', n / 3, n % 3, n, 'act', 'done', '' FROM generate_series(1, $2::int) n`,
      [id, size],
    );
  }
  tree = (await getExportedTree(world.prisma, tenantId, rootId)) ?? [];
}, 60_000);
afterAll(() => world.close());

it('has all rows of each task, once and in order, however many there are', async () => {
  const page = { limit: 5_000 };
  const alone = [];
  for (const task of tree) {
    const ref = { tenantId, taskId: task.id };
    alone.push({
      task,
      events: await readTaskEvents(world.prisma, ref, 0, 5_000),
      messages: (await listApiHistory(world.prisma, ref, page)).data,
      toolCalls: (await listToolCalls(world.prisma, ref, page)).data,
      briefing: null,
    });
  }
  expect(alone).toHaveLength(8);
  expect(await readHistories(world.prisma, tenantId, tree)).toEqual(alone);
  const events = alone.map(({ task, events: own }) => ({ task, events: own }));
  expect(await readEvents(world.prisma, tenantId, tree)).toEqual(events);
});

it('has nothing of a tenant who is not the owner', async () => {
  const histories = await readHistories(world.prisma, 'other', tree);
  expect(
    histories.flatMap(({ events, messages, toolCalls }) => [...events, ...messages, ...toolCalls]),
  ).toEqual([]);
});

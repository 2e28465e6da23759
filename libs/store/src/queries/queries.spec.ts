/** Read models on a real database: exact sums, order of trees, cursors. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TaskTree, TaskUsageView, TaskView, Timeline } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { aDefinition, testDatabase, type TestDatabase } from '@bullpen/testing';
import { TaskCommands } from '../tasks/commands.js';
import { createPool } from '../database/pool.js';
import { createPrisma, type Prisma } from '../database/prisma-client.js';
import { comparePlaces, placeOf } from './events.js';
import { decodeCursor, encodeCursor, filterFingerprint } from './page-cursor.js';
import { getTask, getTaskTree, listTasks } from './tasks.js';
import { getTimeline } from './timeline.js';
import { getUsageReport } from './usage-report.js';
import { getTaskUsage } from './usage.js';

let database: TestDatabase;
let prisma: Prisma;
let pool: ReturnType<typeof createPool>;
beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma({ databaseUrl: database.url });
  pool = createPool({ databaseUrl: database.url });
  await prisma.tenant.createMany({
    data: [
      { id: 'a', name: 'a' },
      { id: 'b', name: 'b' },
    ],
  });
});
afterAll(async () => {
  await prisma.$disconnect();
  await pool.end();
  await database.drop();
});

const definition = aDefinition();
async function aTask(
  options: { tenantId?: string; under?: string; rootId?: string; at?: number } = {},
): Promise<string> {
  const id = newId('task');
  const task = {
    id,
    tenantId: options.tenantId ?? 'a',
    title: 't',
    definition,
    prompt: 'p',
    input: null,
    workspace: { kind: 'empty' as const },
    priority: 0,
    runAt: null,
    tags: [],
    metadata: {},
  };
  await new TaskCommands({ pool, newId }).create(task);
  const createdAt = new Date(Date.parse('2026-01-01T00:00:00Z') + (options.at ?? 0));
  await prisma.task.update({
    where: { id },
    data: {
      createdAt,
      ...(options.under && { parentId: options.under, rootId: options.rootId ?? options.under }),
    },
  });
  return id;
}
async function usage(
  taskId: string,
  rootId: string,
  costNanoUsd: bigint | null,
  model = 'm',
  at = '2026-01-01T10:00:00Z',
  tenantId = 'a',
): Promise<void> {
  const tokens = {
    inputTokens: 3n,
    outputTokens: 2n,
    cacheReadTokens: 1n,
    cacheWrite5mTokens: 0n,
    cacheWrite1hTokens: 0n,
  };
  await prisma.usageRecord.create({
    data: {
      modelCallId: newId('mcall'),
      taskId,
      rootId,
      tenantId,
      agent: 'general',
      model,
      costNanoUsd,
      at: new Date(at),
      ...tokens,
    },
  });
}

it.each([
  ['todos', '[{"text":7}]'],
  ['definition', '{"autonomy":"sometimes"}'],
  ['workspace', '"here"'],
])('a task whose %s cannot be read is shown with the reason, beside the others', async (column, value) => {
  const [good, bad] = [await aTask({ tenantId: 'b' }), await aTask({ tenantId: 'b' })];
  await pool.query(`UPDATE tasks SET ${column} = $2 WHERE id = $1`, [bad, value]);
  const { data } = await listTasks(prisma, 'b', { limit: 2 } as Parameters<typeof listTasks>[2]);
  const shown = (id: string) => TaskView.parse(data.find((task) => task.id === id));
  expect(shown(good)).toMatchObject({ failure: null, title: 't' });
  expect(shown(bad)).toMatchObject({ title: 't', state: 'queued', failure: { code: 'row_unreadable' } });
  expect(shown(bad).failure?.message).toContain(`tasks.${column} of ${bad} cannot be read`);
  await pool.query('DELETE FROM tasks WHERE id = ANY ($1)', [[good, bad]]);
});

describe('trees', () => {
  it('come depth first with paths, for whichever task of the tree is asked', async () => {
    const root = await aTask();
    const second = await aTask({ under: root, at: 2 });
    const first = await aTask({ under: root, at: 1 });
    const below = await aTask({ under: first, rootId: root, at: 3 });
    const tree = TaskTree.parse(await getTaskTree(prisma, 'a', below));
    expect(tree.tasks.map(({ id, path }) => [id, path])).toEqual([
      [root, [root]],
      [first, [root, first]],
      [below, [root, first, below]],
      [second, [root, second]],
    ]);
    expect(await getTaskTree(prisma, 'b', root)).toBeNull();
  });
});

describe('timelines', () => {
  it('have the states of each task of the tree, from its creation on, each until the next', async () => {
    const root = await aTask();
    const child = await aTask({ under: root });
    const times = ['10:00:00', '10:00:05', '10:02:00'].map((time) => `2026-01-01T${time}.000Z`);
    const states = ['running', 'waiting', 'completed'];
    await prisma.uiEvent.updateMany({ where: { taskId: child }, data: { rootId: root } });
    await prisma.uiEvent.createMany({
      data: states.map((to, index) => ({
        taskId: root,
        rootId: root,
        tenantId: 'a',
        seq: 100 + index,
        type: 'task.status_changed',
        data: { from: 'queued', to, reason: to === 'waiting' ? 'children' : null },
        at: new Date(times[index] ?? ''),
      })),
    });
    const timeline = Timeline.parse(await getTimeline(prisma, 'a', child));
    const spansOf = (id: string) => timeline.tasks.find(({ taskId }) => taskId === id)?.spans ?? [];
    expect(spansOf(root).map(({ state, reason, to }) => [state, reason, to])).toEqual([
      ['queued', null, times[0]],
      ['running', null, times[1]],
      ['waiting', 'children', times[2]],
      ['completed', null, null],
    ]);
    expect(spansOf(child)).toMatchObject([{ state: 'queued', to: null }]);
    expect(await getTimeline(prisma, 'b', root)).toBeNull();
  });
});

describe('usage', () => {
  it('sums exactly, alone and below, by model, and keeps what has no price apart', async () => {
    const root = await aTask();
    const child = await aTask({ under: root });
    const grandchild = await aTask({ under: child, rootId: root });
    // In floating point these would not give 0.3.
    await usage(root, root, 100_000_000n);
    await usage(child, root, 200_000_000n, 'n');
    await usage(grandchild, root, 1n);
    await usage(grandchild, root, null, 'unpriced');
    const view = TaskUsageView.parse(await getTaskUsage(prisma, 'a', root));
    expect(view.own).toMatchObject({ costUsd: '0.10', modelCalls: 1, inputTokens: 3 });
    expect(view.tree).toMatchObject({
      costUsd: '0.300000001',
      modelCalls: 4,
      inputTokens: 12,
      unpricedCalls: 1,
    });
    expect(view.byModel.map(({ model, costUsd }) => [model, costUsd])).toEqual([
      ['m', '0.100000001'],
      ['n', '0.20'],
      ['unpriced', '0.00'],
    ]);
    expect((await getTaskUsage(prisma, 'a', child))?.tree.costUsd).toBe('0.200000001');
    expect((await getTask(prisma, 'a', grandchild))?.usage).toMatchObject({
      costUsd: '0.000000001',
      modelCalls: 2,
    });
    expect(await getTaskUsage(prisma, 'b', root)).toBeNull();
  });

  it('is reported by day, within a time, for one tenant', async () => {
    const task = await aTask();
    await usage(task, task, 5n, 'day', '2026-03-01T23:59:59Z');
    await usage(task, task, 7n, 'day', '2026-03-02T00:00:00Z');
    const report = await getUsageReport(prisma, 'a', {
      groupBy: 'day',
      from: '2026-03-01T00:00:00Z',
      to: '2026-04-01T00:00:00Z',
    });
    expect(report.data.map(({ key, costUsd }) => [key, costUsd])).toEqual([
      ['2026-03-01', '0.000000005'],
      ['2026-03-02', '0.000000007'],
    ]);
    expect(report.total.costUsd).toBe('0.000000012');
    expect((await getUsageReport(prisma, 'b', { groupBy: 'model' })).data).toEqual([]);
  });
});

it('is reported by tag and by a second key; a tree with two tags counts for each, and once for the whole', async () => {
  await prisma.tenant.create({ data: { id: 'tagged', name: 'tagged' } });
  const [both, none] = [await aTask({ tenantId: 'tagged' }), await aTask({ tenantId: 'tagged' })];
  const child = await aTask({ tenantId: 'tagged', under: both });
  await prisma.task.update({
    where: { id: both },
    data: { tags: ['x', 'y'], state: 'completed', endedAt: new Date() },
  });
  await usage(child, both, 3n, 'm', '2026-01-01T10:00:00Z', 'tagged');
  await usage(none, none, 4n, 'm', '2026-01-01T10:00:00Z', 'tagged');
  await usage(none, none, null, 'local', '2026-01-01T10:00:00Z', 'tagged');
  const report = await getUsageReport(prisma, 'tagged', { groupBy: 'tag', splitBy: 'model' });
  expect(
    report.data.map(({ key, part, costUsd, unpricedCalls }) => [key, part, costUsd, unpricedCalls]),
  ).toEqual([
    ['', 'local', '0.00', 1],
    ['', 'm', '0.000000004', 0],
    ['x', 'm', '0.000000003', 0],
    ['y', 'm', '0.000000003', 0],
  ]);
  expect(report.total).toMatchObject({ costUsd: '0.000000007', modelCalls: 3, unpricedCalls: 1 });
  expect(report.outcomes).toEqual([
    { state: 'completed', trees: 1, costUsd: '0.000000003', unpricedCalls: 0 },
  ]);
  expect(report.dearest.map(({ taskId, costUsd }) => [taskId, costUsd])).toEqual([
    [none, '0.000000004'],
    [both, '0.000000003'],
  ]);
  const all = await getUsageReport(prisma, null, { groupBy: 'tenant' });
  expect(all.data.map(({ key }) => key)).toEqual(expect.arrayContaining(['a', 'tagged']));
});

describe('lists', () => {
  it('say of roots what goes on below them: counts, the oldest request, what runs, the cost of all', async () => {
    const root = await aTask();
    const child = await aTask({ under: root });
    await usage(child, root, 9n);
    await prisma.task.update({ where: { id: root }, data: { state: 'waiting', waitReason: 'children' } });
    await prisma.task.update({ where: { id: child }, data: { state: 'running' } });
    await prisma.toolCall.create({
      data: {
        ...{
          id: newId('call'),
          taskId: child,
          messageId: newId('msg'),
          turn: 0,
          position: 0,
          toolUseId: 't',
        },
        ...{ tool: 'run_command', status: 'calling', rawArguments: '', arguments: { command: 'npm test' } },
        startedAt: new Date('2026-01-01T11:00:00Z'),
      },
    });
    for (const title of ['first', 'second'])
      await prisma.interaction.create({
        data: {
          ...{ id: newId('ask'), taskId: child, rootId: root, tenantId: 'a', kind: 'question', title },
          payload: {},
          createdAt: new Date(title === 'first' ? '2026-01-01T10:00:00Z' : '2026-01-01T11:00:00Z'),
        },
      });
    const { data } = await listTasks(prisma, 'a', { limit: 200, rootId: root, trees: true });
    expect(data.find(({ id }) => id === child)?.tree).toBeUndefined();
    expect(TaskView.parse(data.find(({ id }) => id === root)).tree).toEqual({
      ...{ tasks: 2, ended: 0, failed: 0, running: 1, asks: 2, costUsd: '0.000000009', unpricedCalls: 0 },
      ask: { id: expect.any(String), taskId: child, kind: 'question', title: 'first' },
      doing: {
        ...{ taskId: child, kind: 'tool', name: 'run_command', detail: 'npm test' },
        since: '2026-01-01T11:00:00.000Z',
      },
    });
  });

  it('leave archived tasks out unless they are asked for, and take every condition together', async () => {
    const [kept, put] = [await aTask({ tenantId: 'b', at: 1 }), await aTask({ tenantId: 'b', at: 2 })];
    await prisma.task.update({ where: { id: put }, data: { archivedAt: new Date(), tags: ['x'] } });
    const ids = async (filter: Parameters<typeof listTasks>[2]) =>
      (await listTasks(prisma, 'b', filter)).data
        .map(({ id }) => id)
        .filter((id) => [kept, put].includes(id));
    expect(await ids({ limit: 50, archived: 'no' })).toEqual([kept]);
    expect(await ids({ limit: 50, archived: 'only' })).toEqual([put]);
    expect(await ids({ limit: 50, archived: 'any' })).toEqual([put, kept]);
    expect(await ids({ limit: 50, archived: 'any', tag: 'x', state: ['queued', 'failed'] })).toEqual([put]);
    expect(await ids({ limit: 50, archived: 'any', waitReason: ['answer'] })).toEqual([]);
    await pool.query('DELETE FROM tasks WHERE id = ANY ($1)', [[kept, put]]);
  });

  it('ask the database a few times a page, however many tasks are on it', async () => {
    await Promise.all(Array.from({ length: 10 }, () => aTask({ tenantId: 'b' })));
    const page = await listTasks(prisma, 'b', { limit: 9 });
    expect(page.data.map((task) => TaskView.parse(task))).toHaveLength(9);
    expect(page.hasMore).toBe(true);
  });
});

describe('cursors', () => {
  it('go back to their keys, only for the list that gave them', () => {
    const fingerprint = filterFingerprint({ list: 'x', b: undefined, a: 1 });
    expect(fingerprint).toBe(filterFingerprint({ a: 1, list: 'x' }));
    const cursor = encodeCursor(fingerprint, [1, 'b']);
    expect(decodeCursor(fingerprint, cursor)).toEqual([1, 'b']);
    expect(() => decodeCursor(filterFingerprint({ list: 'y' }), cursor)).toThrow('another filter');
    for (const broken of ['', 'x', '"', Buffer.from('{}').toString('base64url')])
      expect(() => decodeCursor(fingerprint, broken)).toThrow('cursor');
  });

  it('of events order by transaction, then by row', () => {
    const places = ['10-1', '2-9', '10-0', '2-10'].map(placeOf).sort(comparePlaces);
    expect(places.map(({ tx, id }) => `${tx}-${id}`)).toEqual(['2-9', '2-10', '10-0', '10-1']);
    expect(() => placeOf('9223372036854775808-1')).toThrow('cursor');
  });
});

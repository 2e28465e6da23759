/** Whole ids from pieces of them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FoundIds, IdKind, type TaskView } from '@bullpen/contracts';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
const ids = new Map<IdKind, string>();

beforeAll(async () => {
  bullpen = await startTestGateway();
  const made = async (path: string, body: object): Promise<string> =>
    ((await (await bullpen.post(path, body)).json()) as TaskView).id;
  const task = await made('/v1/tasks', { prompt: 'Look around' });
  const alike = (kind: IdKind): string => {
    const id = `${kind}_${task.slice('task_'.length)}`;
    ids.set(kind, id);
    return id;
  };
  ids.set('task', task);
  ids.set('inbox', await made(`/v1/tasks/${task}/messages`, { text: 'Hurry up' }));
  const { interaction, webhookEndpoint, webhookDelivery, process, checkpoint } = bullpen.prisma;
  const tenantId = 'default';
  await interaction.create({
    data: {
      id: alike('ask'),
      taskId: task,
      rootId: task,
      tenantId,
      kind: 'question',
      title: 'Which?',
      payload: {},
    },
  });
  const endpointId = alike('webhook');
  await webhookEndpoint.create({ data: { id: endpointId, tenantId, url: 'https://example.com/hook' } });
  await webhookDelivery.create({
    data: { id: alike('delivery'), endpointId, tenantId, type: 'ping', payload: '{}' },
  });
  const of = { taskId: task, callId: 'call', workerId: 'worker', host: 'here', pidSpace: 'boot' };
  await process.create({ data: { id: alike('proc'), ...of, command: 'npm test', limitMs: 1_000 } });
  await checkpoint.create({
    data: {
      id: alike('ckpt'),
      taskId: task,
      rootId: task,
      tenantId,
      workspaceId: task,
      reason: 'turn',
      note: 'before the move',
      turn: 1,
      messageSeq: 1,
      eventSeq: 1,
      commit: 'c'.repeat(40),
      files: 1,
      leftOut: [],
      bytes: 1,
    },
  });
});
afterAll(() => bullpen?.close());

async function found(kind: string, piece: string, key?: string): Promise<FoundIds> {
  const query = new URLSearchParams({ kind, piece });
  return FoundIds.parse(await (await bullpen.call(`/v1/ids?${query}`, { ...(key && { key }) })).json());
}

describe('a piece of an id', () => {
  it.each(IdKind.options)(
    'of the kind %s finds it by its beginning, with prefix or without, or by its end',
    async (kind) => {
      const id = ids.get(kind) ?? '';
      const bare = id.slice(kind.length + 1);
      for (const piece of [
        id,
        id.slice(0, -3),
        `${kind}_${bare.slice(0, 1)}`,
        bare,
        bare.slice(0, 12),
        bare.slice(-4),
      ])
        expect((await found(kind, piece)).data.map((each) => each.id)).toEqual([id]);
    },
  );

  it('says what people know each by', async () => {
    const titles = [];
    for (const kind of IdKind.options) titles.push((await found(kind, ids.get(kind) ?? '')).data[0]?.title);
    expect(titles).toEqual([
      'Look around',
      'Which?',
      'Hurry up',
      'https://example.com/hook',
      'ping',
      'npm test',
      'before the move',
    ]);
  });

  it('is no pattern, and finds nothing of another kind, tenant, or place in the id', async () => {
    const task = ids.get('task') ?? '';
    for (const piece of [`${task.slice(0, -1)}_`, '__________', task.slice(8, 16), ids.get('webhook') ?? ''])
      expect((await found('task', piece)).data).toEqual([]);
    expect((await found('task', task, bullpen.otherKey)).data).toEqual([]);
  });

  it.each(['', 'a%', '%', 'A', 'ä', 'x'.repeat(41), "'"])(
    'that cannot be one, such as %j, is refused',
    async (piece) => {
      const response = await bullpen.call(`/v1/ids?${new URLSearchParams({ kind: 'task', piece })}`);
      expect(response.status).toBe(400);
    },
  );

  it('gives ten at most, the newest first, and says that there are more', async () => {
    const made: string[] = [];
    for (let count = 0; count < 12; count += 1)
      made.push(
        ((await (await bullpen.post('/v1/tasks', { prompt: `Task ${count}` })).json()) as TaskView).id,
      );
    const { data, hasMore } = await found('task', 'task_0');
    expect([data.map(({ id }) => id), hasMore]).toEqual([made.toReversed().slice(0, 10), true]);
  });
});

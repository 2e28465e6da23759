/** Submitting, looking at and steering tasks over HTTP. */
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AgentList,
  ApiMessagePage,
  AttemptList,
  InboxMessagePage,
  InboxMessageView,
  ModelCallPage,
  TaskPage,
  TaskTree,
  TaskUsageView,
  TaskView,
  ToolCallPage,
  UsageReport,
} from '@bullpen/contracts';
import { waitFor } from '@bullpen/testing';
import { endTask, problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const create = async (body: object = { prompt: 'Say hello' }): Promise<TaskView> => {
  const response = await bullpen.post('/v1/tasks', body);
  expect(response.status).toBe(201);
  return TaskView.parse(await response.json());
};
const get = async <T>(path: string, schema: { parse(value: unknown): T }): Promise<T> => {
  const response = await bullpen.call(path);
  expect(response.status).toBe(200);
  return schema.parse(await response.json());
};

describe('creating', () => {
  it('creates a task, says where it is, and shows it', async () => {
    const body = { prompt: 'Say hello', tags: ['a'], metadata: { k: 'v' }, priority: 5 };
    const response = await bullpen.post('/v1/tasks', body);
    const task = TaskView.parse(await response.json());
    expect(response.headers.get('location')).toBe(`/v1/tasks/${task.id}`);
    expect(task).toMatchObject({
      state: 'queued',
      agent: 'general',
      model: 'claude-test',
      eventSeq: 2,
      ...body,
    });
    expect(await get(`/v1/tasks/${task.id}`, TaskView)).toEqual(task);
    const later = await create({ ...body, runAt: '2030-01-02T03:04:05.678Z', input: { n: [1, null] } });
    expect(await get(`/v1/tasks/${later.id}`, TaskView)).toEqual(later);
  });

  it('takes agents of a workspace with it, runs the one that is named, and records its file', async () => {
    const text =
      '---\nname: local\ndescription: Helps here.\ntools: [read_file]\nlimits: { turns: 9999 }\n---\nYou help.';
    const agentFiles = [
      { path: '.bullpen/agents/local.md', text },
      { path: '.bullpen/agents/odd.md', text: text.replace('local', 'general') },
    ];
    const task = await create({ prompt: 'Help', agent: 'local', agentFiles });
    expect(task).toMatchObject({
      agent: 'local',
      agentFile: { path: '.bullpen/agents/local.md', sha256: expect.stringMatching(/^[\da-f]{64}$/) },
      limits: { turns: 200 },
    });
    expect(await get(`/v1/tasks/${task.id}`, TaskView)).toEqual(task);
    expect(await create({ prompt: 'Help', agentFiles })).toMatchObject({ agent: 'general', agentFile: null });
    const refused = await bullpen.post('/v1/tasks', { prompt: 'Help', agent: 'odd', agentFiles });
    expect(await problemFrom(refused)).toMatchObject({
      ...{ status: 422, code: 'unknown_agent' },
      detail: expect.stringContaining('.bullpen/agents/odd.md:2: name: general is the name of an agent'),
    });
  });

  it('finds the agents of a folder of this machine itself, but for those that lead out of it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-project-'));
    await mkdir(join(folder, '.bullpen/agents'), { recursive: true });
    const text = '---\nname: local\ndescription: Helps here.\n---\nYou help.';
    await writeFile(join(folder, '.bullpen/agents/local.md'), text);
    const outside = await mkdtemp(join(tmpdir(), 'bullpen-outside-'));
    await writeFile(join(outside, 'far.md'), text.replace('local', 'far'));
    await symlink(join(outside, 'far.md'), join(folder, '.bullpen/agents/far.md'));
    const workspace = { kind: 'path', path: folder, copy: true };
    expect(await create({ prompt: 'Help', agent: 'local', workspace })).toMatchObject({
      agentFile: { path: '.bullpen/agents/local.md' },
    });
    const refused = await bullpen.post('/v1/tasks', { prompt: 'Help', agent: 'far', workspace });
    expect(await problemFrom(refused)).toMatchObject({ code: 'unknown_agent' });
  });

  it('announces the task to the queue', async () => {
    const task = await create();
    const announced = async () =>
      (await bullpen.prisma.dispatch.findFirst({ where: { taskId: task.id } }))?.announcedAt ?? null;
    await waitFor(announced, { what: 'the announcement' });
  });

  it('takes typed input for an agent that has a schema, and refuses what does not fit', async () => {
    expect(await create({ agent: 'survey-reader', input: { folder: 'src' } })).toMatchObject({
      input: { folder: 'src' },
    });
    const problem = await problemFrom(
      await bullpen.post('/v1/tasks', { agent: 'survey-reader', input: { fold: 'src' } }),
    );
    expect(problem).toMatchObject({ status: 422, code: 'invalid_input', errors: [{ pointer: '/input' }] });
  });

  it('refuses a model that is not known, naming the field, names that may be meant and the setting that allows it', async () => {
    const problem = await problemFrom(
      await bullpen.post('/v1/tasks', { prompt: 'x', model: 'claude-sonet-5-5' }),
    );
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer: '/model' }] });
    expect(problem.detail).toMatch(/Did you mean claude-sonnet-5-5\b.*EXTRA_MODELS/);
  });

  it('takes a profile instead of a model, and another one while the task lives, at once or not at all', async () => {
    const both = { prompt: 'x', model: 'claude-opus-5-5', profile: 'x' };
    for (const [body, pointer] of [
      [both, '/profile'],
      [{ prompt: 'x', profile: 'nowhere' }, '/profile'],
    ] as const)
      expect(await problemFrom(await bullpen.post('/v1/tasks', body))).toMatchObject({
        status: 400,
        errors: [{ pointer }],
      });
    const { id } = await create();
    const set = (profile: string) =>
      bullpen.call(`/v1/tasks/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ profile, title: profile }),
        headers: { 'content-type': 'application/json' },
      });
    expect(await problemFrom(await set('nowhere'))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/profile' }],
    });
    expect(await get(`/v1/tasks/${id}`, TaskView)).toMatchObject({
      model: 'claude-test',
      title: 'Say hello',
    });
    expect(TaskView.parse(await (await set('claude-haiku-4-5')).json())).toMatchObject({
      model: 'claude-haiku-4-5',
      title: 'claude-haiku-4-5',
    });
  });

  it('takes a model without a price only without a cost limit', async () => {
    const body = { prompt: 'x', model: 'my-own' };
    expect(await problemFrom(await bullpen.post('/v1/tasks', body))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/limits/costUsd' }],
      nextActions: [
        {
          action: 'task.drop_cost_limit',
          request: { method: 'POST', path: '/v1/tasks', body: { limits: { costUsd: null } } },
        },
      ],
    });
    expect(await create({ ...body, limits: { costUsd: null } })).toMatchObject({ model: 'my-own' });
  });

  it('lists the agents that can be named', async () => {
    const { data } = await get('/v1/agents', AgentList);
    expect(data.map(({ name, model }) => [name, model])).toContainEqual(['general', 'claude-test']);
    const [first] = data;
    expect(first?.source).toEqual({ kind: 'built-in', name: 'agents/general.md' });
  });

  it('refuses a workspace that is not there, or not allowed', async () => {
    const at = (path: string) =>
      bullpen.post('/v1/tasks', { prompt: 'x', workspace: { kind: 'path', path } });
    expect(await problemFrom(await at('/no/such/folder'))).toMatchObject({
      status: 422,
      code: 'invalid_workspace',
    });
    expect(await problemFrom(await at('relative'))).toMatchObject({
      code: 'invalid_workspace',
      errors: [{ pointer: '/workspace/path' }],
    });
    expect((await at(await mkdtemp(join(tmpdir(), 'bullpen-ws-')))).status).toBe(201);
  });

  it('takes clones as the settings allow them, and work in a folder itself only when they do', async () => {
    const on = (workspace: unknown) => bullpen.post('/v1/tasks', { prompt: 'x', workspace });
    const url = 'https://github.com/acme/shop.git';
    const made = await on({ kind: 'git', url, ref: 'main' });
    expect(made.status).toBe(201);
    expect(await made.json()).toMatchObject({ workspace: { kind: 'git', url, ref: 'main' } });
    expect(
      await problemFrom(await on({ kind: 'git', url: 'http://github.com/acme/shop.git' })),
    ).toMatchObject({
      code: 'invalid_workspace',
      errors: [{ pointer: '/workspace/url', detail: expect.stringContaining('GIT_PROTOCOLS') }],
    });
    const secret = await problemFrom(
      await on({ kind: 'git', url: 'https://u:Sekret@github.com/acme/shop.git' }),
    );
    expect(secret).toMatchObject({ status: 400, errors: [{ pointer: '/workspace/url' }] });
    expect(JSON.stringify(secret)).not.toContain('Sekret');
    expect(await problemFrom(await on({ kind: 'path', path: tmpdir(), copy: false }))).toMatchObject({
      code: 'invalid_workspace',
      errors: [{ pointer: '/workspace/path', detail: expect.stringContaining('WORKSPACE_IN_PLACE') }],
    });
  });
});

describe('lists', () => {
  it('pages through everything once, newest first, also when tasks were made at the same time', async () => {
    const made = new Set<string>();
    for (let batch = 0; batch < 4; batch += 1) {
      const tasks = await Promise.all(
        Array.from({ length: 5 }, () => create({ prompt: 'page me', tags: ['paging'] })),
      );
      tasks.forEach(({ id }) => made.add(id));
    }
    await bullpen.prisma.task.updateMany({
      where: { tags: { has: 'paging' } },
      data: { createdAt: new Date('2026-01-02') },
    });
    const seen: string[] = [];
    let after = '';
    do {
      const page = await get(`/v1/tasks?tag=paging&limit=7${after}`, TaskPage);
      seen.push(...page.data.map(({ id }) => id));
      expect(page.hasMore).toBe(page.nextCursor !== null);
      after = page.nextCursor === null ? '' : `&after=${page.nextCursor}`;
    } while (after !== '');
    expect(seen).toHaveLength(20);
    expect(new Set(seen)).toEqual(made);
    expect(seen).toEqual([...seen].sort().reverse());
  });

  it('refuses a cursor of a list with another filter', async () => {
    await Promise.all([create({ prompt: 'x', tags: ['cursor'] }), create({ prompt: 'x', tags: ['cursor'] })]);
    const { nextCursor } = await get('/v1/tasks?tag=cursor&limit=1', TaskPage);
    const problem = await problemFrom(await bullpen.call(`/v1/tasks?tag=other&limit=1&after=${nextCursor}`));
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ pointer: '/after' }] });
  });

  it('filters by state, agent, text and parent', async () => {
    const task = await create({ prompt: 'find the Needle here', agent: 'explorer' });
    await endTask(bullpen, (await create({ prompt: 'another needle' })).id);
    const idsOf = async (query: string) =>
      (await get(`/v1/tasks?${query}`, TaskPage)).data.map(({ id }) => id);
    const isFound = async () => (await idsOf('q=needle')).length === 2;
    await waitFor(isFound, { what: 'the texts to be in the index' });
    expect(await idsOf('q=NEEDLE&state=queued,running')).toEqual([task.id]);
    expect(await idsOf('q=needle&agent=explorer')).toEqual([task.id]);
    expect(await idsOf(`rootId=${task.id}&roots=true`)).toEqual([task.id]);
    expect(await idsOf(`parentId=${task.id}`)).toEqual([]);
    expect(await idsOf('q=%25')).toEqual([]);
  });
});

describe('steering', () => {
  it('cancels a queued task at once, and once more without an error', async () => {
    const { id } = await create();
    expect(await (await bullpen.post(`/v1/tasks/${id}/cancel`)).json()).toMatchObject({ state: 'cancelled' });
    const again = await bullpen.post(`/v1/tasks/${id}/cancel`, { reason: 'sure' });
    expect([again.status, ((await again.json()) as TaskView).state]).toEqual([200, 'cancelled']);
  });

  it('gives a failed task another attempt with more room, and nothing else', async () => {
    const { id } = await create();
    const retry = (body?: object) => bullpen.post(`/v1/tasks/${id}/retry`, body);
    const queued = await problemFrom(await retry());
    expect(queued).toMatchObject({ status: 409, code: 'not_retryable' });
    await endTask(bullpen, id, 'failed');
    await bullpen.pool.query("UPDATE tasks SET stop_cause = 'turn_limit', turns = 200 WHERE id = $1", [id]);
    expect(await problemFrom(await retry({ limits: { turns: 100 } }))).toMatchObject({
      code: 'not_retryable',
      errors: [{ pointer: '/limits/turns' }],
    });
    const response = await retry({ limits: { turns: 300 }, message: 'Be quick.' });
    expect(TaskView.parse(await response.json())).toMatchObject({
      state: 'queued',
      attempt: 2,
      limits: { turns: 300 },
      failure: null,
    });
    const { data } = await get(`/v1/tasks/${id}/messages`, InboxMessagePage);
    expect(data.map(({ text }) => text)).toEqual([expect.stringContaining('Be quick.')]);
  });

  it('does not cancel what has ended, but goes on with a message to it, within limits that leave room', async () => {
    const { id } = await create();
    await endTask(bullpen, id);
    expect(await problemFrom(await bullpen.post(`/v1/tasks/${id}/cancel`))).toMatchObject({
      status: 409,
      code: 'task_finished',
    });
    const send = (body: object) =>
      bullpen.post(`/v1/tasks/${id}/messages`, { text: 'And in French?', ...body });
    await bullpen.pool.query('UPDATE tasks SET turns = 500 WHERE id = $1', [id]);
    expect(await problemFrom(await send({}))).toMatchObject({
      code: 'not_retryable',
      errors: [{ pointer: '/limits/turns' }],
    });
    expect((await send({ limits: { turns: 501 } })).status).toBe(201);
    expect(await get(`/v1/tasks/${id}`, TaskView)).toMatchObject({
      ...{ state: 'queued', attempt: 2, output: null, endedAt: null, stopCause: null },
      limits: { turns: 501 },
    });
    const { data } = await get(`/v1/tasks/${id}/messages`, InboxMessagePage);
    expect(data.map(({ text }) => text)).toEqual(['And in French?']);
    expect(await problemFrom(await send({ limits: { turns: 20 } }))).toMatchObject({
      errors: [{ pointer: '/limits' }],
    });
  });

  it('pauses and resumes a task, and says so once more without an error', async () => {
    const { id } = await create();
    const change = async (verb: string, body?: object) => {
      const response = await bullpen.post(`/v1/tasks/${id}/${verb}`, body);
      return [response.status, ((await response.json()) as TaskView).state];
    };
    expect(await change('pause')).toEqual([200, 'paused']);
    expect(await change('pause', { now: true })).toEqual([200, 'paused']);
    expect(await change('resume')).toEqual([200, 'queued']);
    expect(await change('resume', {})).toEqual([200, 'queued']);
    expect(await change('interrupt')).toEqual([200, 'paused']);
    await endTask(bullpen, id);
    expect(await problemFrom(await bullpen.post(`/v1/tasks/${id}/pause`))).toMatchObject({
      status: 409,
      code: 'task_finished',
      detail: expect.stringContaining('can no longer be paused'),
    });
  });

  it('interrupts a task with a message, which it keeps for the next turn', async () => {
    const { id } = await create();
    const response = await bullpen.post(`/v1/tasks/${id}/interrupt`, { message: 'Not that.' });
    expect([response.status, ((await response.json()) as TaskView).state]).toEqual([200, 'queued']);
    const { data } = await get(`/v1/tasks/${id}/messages`, InboxMessagePage);
    expect(data.map(({ text }) => text)).toEqual(['Not that.']);
  });

  it('changes the fields that are given, and refuses a deadline that has passed', async () => {
    const { id } = await create({ prompt: 'x', tags: ['old'], retry: { taskAttempts: 7 } });
    const patch = (body: object) =>
      bullpen.call(`/v1/tasks/${id}`, {
        method: 'PATCH',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const deadlineAt = '2100-01-01T00:00:00.000Z';
    expect(await (await patch({ priority: 9, deadlineAt })).json()).toMatchObject({
      priority: 9,
      deadlineAt,
      tags: ['old'],
      retry: { taskAttempts: 7, modelAttempts: 5 },
    });
    expect(await problemFrom(await patch({ deadlineAt: '2020-01-01T00:00:00Z' }))).toMatchObject({
      status: 400,
      errors: [{ pointer: '/deadlineAt' }],
    });
    const late = await bullpen.post('/v1/tasks', {
      prompt: 'x',
      runAt: '2100-01-01T00:00:00Z',
      deadlineAt: '2099-01-01T00:00:00Z',
    });
    expect(await problemFrom(late)).toMatchObject({ status: 400, errors: [{ pointer: '/deadlineAt' }] });
    expect(await problemFrom(await patch({ prompt: 'y' }))).toMatchObject({ status: 400 });
  });

  it('keeps messages until they are delivered', async () => {
    const { id } = await create();
    const sent = await bullpen.post(`/v1/tasks/${id}/messages`, { text: 'also do this' });
    expect(sent.status).toBe(201);
    const message = InboxMessageView.parse(await sent.json());
    expect(message).toMatchObject({ taskId: id, text: 'also do this', deliveredAt: null });
    expect((await get(`/v1/tasks/${id}/messages`, InboxMessagePage)).data).toEqual([message]);
  });
});

describe('details', () => {
  it('shows attempts, calls, histories, usage and the tree of a fresh task', async () => {
    const { id } = await create({ prompt: 'details' });
    const path = `/v1/tasks/${id}`;
    expect((await get(`${path}/attempts`, AttemptList)).data).toMatchObject([{ number: 1, outcome: null }]);
    expect((await get(`${path}/tool-calls`, ToolCallPage)).data).toEqual([]);
    expect((await get(`${path}/model-calls`, ModelCallPage)).data).toEqual([]);
    expect((await get(`${path}/history/api`, ApiMessagePage)).data).toMatchObject([
      { role: 'user', content: [{ type: 'text' }] },
    ]);
    expect(await get(`${path}/usage`, TaskUsageView)).toMatchObject({
      taskId: id,
      own: { costUsd: '0.00' },
      byModel: [],
    });
    expect((await get(`${path}/tree`, TaskTree)).tasks).toMatchObject([{ id, path: [id] }]);
    expect((await get('/v1/usage?groupBy=model', UsageReport)).total).toMatchObject({
      modelCalls: 0,
      costUsd: '0.00',
    });
  });

  it('gives the whole output of a tool call', async () => {
    const { id } = await create();
    const { id: messageId } = await bullpen.prisma.apiMessage.findFirstOrThrow({ where: { taskId: id } });
    const callId = messageId.replace('msg', 'call');
    await bullpen.prisma.toolCall.create({
      data: {
        id: callId,
        taskId: id,
        messageId,
        turn: 1,
        position: 0,
        toolUseId: 'tu_1',
        tool: 'read_file',
        status: 'done',
        rawArguments: '{}',
        output: 'short',
        fullOutput: 'short and long',
      },
    });
    const response = await bullpen.call(`/v1/tasks/${id}/tool-calls/${callId}/output`);
    expect(await response.json()).toEqual({ callId, output: 'short and long' });
    expect((await get(`/v1/tasks/${id}/tool-calls`, ToolCallPage)).data).toMatchObject([
      { output: 'short', outputTruncated: true },
    ]);
  });
});

describe('tenants', () => {
  it('do not see tasks of others in their lists', async () => {
    await create();
    const response = await bullpen.call('/v1/tasks', { key: bullpen.otherKey });
    expect(await response.json()).toMatchObject({ data: [] });
  });
});

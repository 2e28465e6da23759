/** Exported tasks in another tenant: the same to read, nothing that counts or runs, and nothing that a hostile document could make of it. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  EventPage,
  FailureList,
  Media,
  TaskExport,
  TaskUsageView,
  TaskView,
  UsageReport,
  type ContentBlock,
} from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { checkInvariants } from '@bullpen/store';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen?.close());

const query = async (text: string, values: unknown[] = []) =>
  (await bullpen.pool.query<Record<string, unknown>>(text, values)).rows;
const get = async (path: string, key = bullpen.otherKey): Promise<unknown> =>
  (await bullpen.call(path, { key })).json();
const exported = async (id: string, key = bullpen.key) =>
  TaskExport.parse(await get(`/v1/tasks/${id}/export?format=json`, key));
const send = (document: unknown, headers: Record<string, string> = {}, path = '/v1/tasks/import') =>
  bullpen.call(path, {
    ...{ method: 'POST', key: bullpen.otherKey },
    body: typeof document === 'string' ? document : JSON.stringify(document),
    headers: { 'content-type': 'application/json', ...headers },
  });
const imported = async (document: unknown): Promise<TaskView> => {
  const response = await send(document);
  const body: unknown = await response.json();
  expect([response.status, body]).toEqual([201, expect.anything()]);
  return TaskView.parse(body);
};

/** A failed task with a thought, a call that a person approved, and a child; and what both cost. */
async function aTree(): Promise<{ root: string; child: string }> {
  const body = { prompt: 'Look around.', title: 'Look', tags: ['a'], metadata: { team: 'x' } };
  const { id: root } = TaskView.parse(await (await bullpen.post('/v1/tasks', body)).json());
  const child = newId('task');
  await query(
    `INSERT INTO tasks (id, tenant_id, parent_id, root_id, depth, title, agent, model, definition, prompt, workspace, message_seq, event_seq)
     SELECT $2, tenant_id, id, id, 1, 'Child of ' || id, agent, model, definition, 'Below.', workspace, 1, 2 FROM tasks WHERE id = $1`,
    [root, child],
  );
  const [ask, message, call] = [newId('ask'), newId('msg'), newId('call')];
  const say = (task: string, id: string, seq: number, role: string, content: ContentBlock[]) =>
    query(
      `INSERT INTO api_messages (id, task_id, seq, turn, role, content, epoch) VALUES ($1, $2, $3, $4, $5::message_role, $6, 1)`,
      [id, task, seq, seq - 1, role, JSON.stringify(content)],
    );
  await say(child, newId('msg'), 1, 'user', [{ type: 'text', text: 'Below.' }]);
  await say(root, message, 2, 'assistant', [
    { type: 'thinking', thinking: `About ${child}`, signature: 'c2ln' },
    { type: 'tool_use', id: 'toolu_1', name: 'run_command', input: { command: 'ls', n: 0.1 } },
  ]);
  const result = `Started ${child}`;
  await say(root, newId('msg'), 3, 'user', [
    { type: 'tool_result', tool_use_id: 'toolu_1', content: result },
  ]);
  await say(root, newId('msg'), 4, 'assistant', [{ type: 'text', text: 'I see.' }]);
  const approval = { verdict: 'approve', rule: 'r', reason: 'ok', by: 'user', interactionId: ask, hash: 'h' };
  await query(
    `INSERT INTO interactions (id, task_id, root_id, tenant_id, kind, tool_call_id, arguments_hash, payload, answer, answered_by, answered_at)
     VALUES ($1, $2, $2, 'default', 'approval', $3, 'h', '{}', '{"decision": "approve"}', 'test', now())`,
    [ask, root, call],
  );
  await query(
    `INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, arguments, approval, output, full_output,
       child_task_id, started_epoch, started_at, ended_at)
     VALUES ($1, $2, $3, 1, 0, 'toolu_1', 'run_command', 'done', '{"command": "ls"}', '{"command": "ls"}', $4, $5, $5, $6, 1, now(), now())`,
    [call, root, message, JSON.stringify(approval), result, child],
  );
  const tell = (task: string, seq: number, type: string, data: object) =>
    query(
      `INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data) VALUES ($1, $2, $3, 'default', $4, $5)`,
      [task, seq, root, type, JSON.stringify(data)],
    );
  const inCall = { callId: call, tool: 'run_command', turn: 1 };
  await tell(root, 3, 'task.status_changed', { from: 'queued', to: 'running' });
  await tell(root, 4, 'message.agent', { messageId: message, turn: 1, text: '' });
  const asked = { interactionId: ask, kind: 'approval', callId: call };
  await tell(root, 5, 'interaction.opened', { ...asked, title: 'Run ls', expiresInMs: null });
  await tell(root, 6, 'tool.started', { ...inCall, arguments: { command: 'ls' } });
  await tell(root, 7, 'tool.finished', { ...inCall, state: 'done', durationMs: 1, preview: result });
  const failure = { cause: 'error', code: 'model_failed', message: 'It broke.' };
  await tell(root, 8, 'task.status_changed', { from: 'running', to: 'failed', cause: 'error', failure });
  await tell(child, 1, 'task.created', {
    ...{ title: 'Child', agent: 'general', model: 'claude-test', parentId: root, depth: 1, prompt: 'Below.' },
  });
  await tell(child, 2, 'task.status_changed', { from: 'queued', to: 'cancelled', cause: 'cancelled' });
  await query(
    `UPDATE tasks SET message_seq = 4, event_seq = 8, turns = 2, epoch = 1, active_ms = 1234, state = 'failed', stop_cause = 'error', started_at = now(),
       ended_at = now(), failure = $2 WHERE id = $1`,
    [root, JSON.stringify(failure)],
  );
  await query(
    `UPDATE tasks SET state = 'cancelled', stop_cause = 'cancelled', ended_at = now() WHERE id = $1`,
    [child],
  );
  await query('DELETE FROM dispatches WHERE task_id = $1', [root]);
  for (const [task, cost] of [
    [root, 1_500_000],
    [child, 250_000],
  ] as const)
    await query(
      `INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, input_tokens, output_tokens, cache_read_tokens,
         cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd)
       VALUES ($1, $2, $3, 'default', 'general', 'claude-test', 100, 20, 0, 0, 0, $4)`,
      [newId('mcall'), task, root, cost],
    );
  return { root, child };
}

/** The document with its ids numbered in the order in which they come. */
function withoutIds({ exportedAt: _, ...document }: TaskExport): unknown {
  const seen = new Map<string, string>();
  const text = JSON.stringify(document, (name, value: unknown) =>
    name === 'importedFrom' || name === 'cursor' || name === 'updatedAt' ? undefined : value,
  );
  return JSON.parse(
    text.replace(/\b[a-z]{2,10}_[0-9a-z]{26}\b/g, (id) => {
      seen.set(id, seen.get(id) ?? `id ${seen.size}`);
      return seen.get(id) ?? '';
    }),
  );
}
const at = (document: TaskExport, index = 0) => {
  const part = document.tasks[index];
  if (part === undefined) throw new Error('the document has no such task');
  return part;
};

describe('pictures of an exported task', () => {
  /** As much of a picture as says that it is one, and how large. */
  const picture = Buffer.from('89504e470d0a1a0a0000000d4948445200000140000000c8080200000000000000', 'hex');

  it('are named in its document, come along when they are asked for, and are there for the fork of the import', async () => {
    const { sha256 } = Media.parse(
      await (await bullpen.post('/v1/attachments', { data: picture.toString('base64') })).json(),
    );
    const contextItems = [{ kind: 'attachment', sha256, name: 'shot.png' }];
    const { id } = TaskView.parse(
      await (await bullpen.post('/v1/tasks', { prompt: 'Look.', contextItems })).json(),
    );
    const found = { bytes: 33, sha256, text: 'image (png), 320x200, 33 bytes', cut: false, problem: null };
    const media = { sha256, mediaType: 'image/png', bytes: 33, width: 320, height: 200, pages: null };
    const items = [{ kind: 'attachment', name: 'shot.png', ...found, media }];
    await query('UPDATE tasks SET briefing = $2 WHERE id = $1', [
      id,
      JSON.stringify({ environment: '', rules: [], items }),
    ]);

    const named = await exported(id);
    expect(named.attachments).toBeUndefined();
    expect(named.tasks[0]?.briefing?.items).toMatchObject([
      { text: 'image (png), 320x200, 33 bytes', media },
    ]);
    const whole = TaskExport.parse(
      await get(`/v1/tasks/${id}/export?format=json&attachments=true`, bullpen.key),
    );
    expect(whole.attachments).toEqual([{ data: picture.toString('base64') }]);

    const copy = await imported(whole);
    const shown = await bullpen.call(`/v1/attachments/${sha256}`, { key: bullpen.otherKey });
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(picture);
    const fork = TaskView.parse(await (await send({}, {}, `/v1/tasks/${copy.id}/fork`)).json());
    const [row] = await query('SELECT briefing FROM tasks WHERE id = $1', [fork.id]);
    expect(row?.['briefing']).toMatchObject({ items: [{ name: 'shot.png', media }] });

    const hostile = await problemFrom(await send({ ...whole, attachments: [{ data: 'PHN2Zy8+' }] }));
    expect(hostile.errors).toMatchObject([{ pointer: '/attachments/0/data' }]);
  });
});

describe('an imported task', () => {
  it('is the same document when it is exported again, but for its ids', async () => {
    const { root } = await aTree();
    const first = await exported(root);
    const { id } = await imported(first);
    const second = await exported(id, bullpen.otherKey);
    expect(withoutIds(second)).toEqual(withoutIds(first));
    const ids = (document: unknown): string[] =>
      JSON.stringify(document).match(/\b[a-z]{2,10}_[0-9a-z]{26}\b/g) ?? [];
    const shared = ids({ ...second, tasks: second.tasks.map((part) => ({ ...part, task: null })) });
    expect(shared.filter((one) => ids(first).includes(one))).toEqual([]);
    // A third time, as an import of an import.
    const again = await imported(second);
    expect(withoutIds(await exported(again.id, bullpen.otherKey))).toEqual(withoutIds(first));
  });

  it('is shown with its transcript, tree, times and costs, as what was imported', async () => {
    const { root, child } = await aTree();
    const document = await exported(root);
    const task = await imported(document);
    expect(task).toMatchObject({
      ...{ title: 'Look', state: 'failed', stopCause: 'error', turns: 2, activeMs: 1234, tags: ['a'] },
      usage: { costUsd: '0.0015', inputTokens: 100 },
      importedFrom: { taskId: root, state: 'failed', exportedAt: document.exportedAt },
      ...{ createdAt: at(document).task.createdAt, endedAt: at(document).task.endedAt },
    });
    const usage = TaskUsageView.parse(await get(`/v1/tasks/${task.id}/usage`));
    expect([usage.own.costUsd, usage.tree.costUsd, usage.budget.spentUsd]).toEqual([
      ...['0.0015', '0.00175', '0.00'],
    ]);
    const { data } = EventPage.parse(await get(`/v1/tasks/${task.id}/events`));
    expect(data.map(({ type, imported: mark }) => [type, mark])).toEqual([
      ...at(document).events.map(({ type }) => [type, true]),
      ['task.imported', undefined],
    ]);
    const tree = JSON.stringify(await get(`/v1/tasks/${task.id}/tree`));
    expect(tree).toContain(`"taskId":"${child}"`);
    const list = (await get('/v1/tasks?roots=true&trees=true&limit=1')) as { data: TaskView[] };
    expect(list.data[0]).toMatchObject({ id: task.id, tree: { tasks: 2, ended: 2, costUsd: '0.00175' } });
    const calls = (await get(`/v1/tasks/${task.id}/tool-calls`)) as { data: { id: string }[] };
    expect(await get(`/v1/tasks/${task.id}/tool-calls/${calls.data[0]?.id}/output`)).toMatchObject({
      output: expect.stringContaining('Started task_'),
    });
  });

  it('costs nothing, waits for nobody, fails nothing and tells no webhook', async () => {
    const tables = ['usage_records', 'budget_accounts', 'dispatches', 'interactions', 'waits', 'attempts'];
    const counts = async () => {
      const rows = tables.map((table) => query(`SELECT count(*)::int AS n FROM ${table}`));
      return (await Promise.all(rows)).map(([row]) => row?.['n']);
    };
    const document = await exported((await aTree()).root);
    const before = await counts();
    const { id } = await imported(document);
    expect(await counts()).toEqual(before);
    const report = UsageReport.parse(await get('/v1/usage?groupBy=day'));
    expect([report.total.costUsd, report.data, report.dearest]).toEqual(['0.00', [], []]);
    expect(FailureList.parse(await get('/v1/failures'))).toMatchObject({ total: 0 });
    const [told] = await query(
      `SELECT count(*)::int AS n FROM ui_events WHERE task_id = $1 AND epoch IS DISTINCT FROM -1 AND type = 'task.status_changed'`,
      [id],
    );
    expect(told?.['n']).toBe(0);
    for (const { id: invariant, violations } of await checkInvariants(bullpen.pool))
      expect([invariant, violations.filter((text) => text.includes(id))]).toEqual([invariant, []]);
  });

  it('runs nothing, whoever asks for it', async () => {
    const { id } = await imported(await exported((await aTree()).root));
    for (const [path, body] of [
      ['retry', { mode: 'resume' }],
      ['retry', { mode: 'new' }],
      ['messages', { text: 'Go on.' }],
      ['messages', { text: 'Go on.', limits: { costUsd: '50' } }],
      ['rewind', { turns: 1 }],
      ['resume', {}],
      ['pause', {}],
      ['interrupt', {}],
      ['autonomy', { autonomy: 'agent' }],
    ] as const) {
      const response = await send(body, {}, `/v1/tasks/${id}/${path}`);
      expect([path, response.status]).toEqual([path, 409]);
    }
    const preview = await send(
      { ids: [id], action: { verb: 'retry', mode: 'new' } },
      {},
      '/v1/bulk-actions/preview',
    );
    expect(await preview.json()).toMatchObject({ matched: 1, able: 0 });
    await expect(query(`UPDATE tasks SET state = 'queued' WHERE id = $1`, [id])).rejects.toThrow(
      'tasks_imported_ended',
    );
    expect((await bullpen.call(`/v1/tasks/${id}`)).status).toBe(404);
  });

  it('that had not ended has ended here, and says what it was', async () => {
    const { id: running } = TaskView.parse(
      await (await bullpen.post('/v1/tasks', { prompt: 'Wait.' })).json(),
    );
    const document = await exported(running);
    const task = await imported(document);
    expect(task).toMatchObject({
      ...{ state: 'cancelled', stopCause: 'cancelled', importedFrom: { state: 'queued' } },
      endedAt: document.exportedAt,
    });
    expect(withoutIds(await exported(task.id, bullpen.otherKey))).toEqual(withoutIds(document));
  });

  it('is made once for one Idempotency-Key, and not at all when the process dies in the middle', async () => {
    const document = await exported((await aTree()).root);
    const key = { 'idempotency-key': 'import-1' };
    const ids = [];
    for (const _ of [1, 2]) ids.push(TaskView.parse(await (await send(document, key)).json()).id);
    expect(new Set(ids).size).toBe(1);
    const count = async () => (await query('SELECT count(*)::int AS n FROM tasks'))[0]?.['n'];
    const before = await count();
    await query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'died'; END $$`);
    await query('CREATE TRIGGER dies BEFORE INSERT ON tool_calls FOR EACH ROW EXECUTE FUNCTION die()');
    expect((await send(document)).status).toBe(500);
    await query('DROP TRIGGER dies ON tool_calls');
    await query('DROP FUNCTION die');
    expect(await count()).toBe(before);
  });

  it('can be a chain of 40', async () => {
    const document = await exported((await aTree()).root);
    const { messages: _, ...leaf } = at(document, 1);
    let above = at(document).task.id;
    const chain = Array.from({ length: 39 }, () => {
      const id = newId('task');
      const link = { ...leaf, messages: [], task: { ...leaf.task, id, parentId: above } };
      above = id;
      return link;
    });
    const { id } = await imported({ ...document, tasks: [at(document), ...chain] });
    const { tasks } = (await get(`/v1/tasks/${id}/tree`)) as { tasks: TaskView[] };
    expect(tasks.map(({ depth }) => depth)).toEqual(Array.from({ length: 40 }, (_, depth) => depth));
  });
});

describe('the fork of an imported task', () => {
  it('has its conversation without its thoughts, an empty workspace, and an agent that is told so', async () => {
    const { id } = await imported(await exported((await aTree()).root));
    const response = await send({ message: 'Go on in French.' }, {}, `/v1/tasks/${id}/fork`);
    const fork = TaskView.parse(await response.json());
    expect([response.status, fork]).toMatchObject([
      201,
      {
        ...{ state: 'queued', importedFrom: null, forkedFrom: { taskId: id, checkpointId: null } },
        ...{ workspace: { kind: 'empty' }, usage: { costUsd: '0.00' }, turns: 0 },
      },
    ]);
    const messages = await query('SELECT role, content FROM api_messages WHERE task_id = $1 ORDER BY seq', [
      fork.id,
    ]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(JSON.stringify(messages)).not.toContain('thinking');
    const inbox = await query('SELECT source, text FROM inbox_messages WHERE task_id = $1 ORDER BY id', [
      fork.id,
    ]);
    expect(inbox).toMatchObject([
      { source: 'notice', text: expect.stringContaining('was imported') },
      { source: 'user', text: 'Go on in French.' },
    ]);
    const [call] = await query('SELECT status, output FROM tool_calls WHERE task_id = $1', [fork.id]);
    expect(call).toMatchObject({ status: 'done', output: expect.stringContaining('Started') });
    for (const { id: invariant, violations } of await checkInvariants(bullpen.pool))
      expect([invariant, violations.filter((text) => text.includes(fork.id))]).toEqual([invariant, []]);
    expect((await bullpen.post(`/v1/tasks/${id}/fork`)).status).toBe(404);
  });

  it('may have other files and another agent; one whose agent is not here says which are', async () => {
    const document = await exported((await aTree()).root);
    at(document).task.agent = 'elsewhere';
    const { id } = await imported(document);
    const refused = await problemFrom(await send({}, {}, `/v1/tasks/${id}/fork`));
    expect(refused).toMatchObject({ status: 422, code: 'unknown_agent', errors: [{ pointer: '/agent' }] });
    const body = { agent: 'explorer', workspace: { kind: 'git', url: 'https://e.test/shop.git' } };
    const fork = TaskView.parse(await (await send(body, {}, `/v1/tasks/${id}/fork`)).json());
    expect(fork).toMatchObject({ agent: 'explorer', workspace: body.workspace });
  });

  it('of a task of one’s own is one from its newest checkpoint, and needs one', async () => {
    const { root } = await aTree();
    expect(await problemFrom(await bullpen.post(`/v1/tasks/${root}/fork`))).toMatchObject({
      ...{ status: 409, code: 'not_forkable' },
    });
    const [older, newer] = [newId('ckpt'), newId('ckpt')];
    for (const id of [older, newer])
      await bullpen.prisma.checkpoint.create({
        data: {
          ...{ id, taskId: root, rootId: root, tenantId: 'default', workspaceId: root, reason: 'turn' },
          ...{ commit: 'c', files: 1, leftOut: [], bytes: 7, turn: 1, messageSeq: 3, eventSeq: 7 },
        },
      });
    const fork = TaskView.parse(await (await bullpen.post(`/v1/tasks/${root}/fork`)).json());
    expect(fork.forkedFrom).toEqual({ taskId: root, checkpointId: newer });
    const body = { workspace: { kind: 'empty' } };
    expect(await problemFrom(await bullpen.post(`/v1/tasks/${root}/fork`, body))).toMatchObject({
      errors: [{ pointer: '/workspace' }],
    });
    for (const { id: invariant, violations } of await checkInvariants(bullpen.pool, [fork.id]))
      expect([invariant, violations]).toEqual([invariant, []]);
  });
});

describe('a hostile document', () => {
  type Change = (document: TaskExport, ids: { root: string }) => void;
  const cases: readonly (readonly [string, string, Change])[] = [
    ['another version', '/version', (document) => Object.assign(document, { version: 2 })],
    ['another format', '/format', (document) => Object.assign(document, { format: 'x' })],
    ['a root that is not there', '/tasks/0/task/id', (document) => (document.rootId = newId('task'))],
    [
      'a child before its parent',
      '/tasks/1/task/parentId',
      (document) => (at(document, 1).task.parentId = newId('task')),
    ],
    [
      'the same task twice',
      '/tasks/1/task/id',
      (document) => (at(document, 1).task.id = at(document).task.id),
    ],
    ['a gap in its events', '/tasks/0/events/1/seq', (document) => at(document).events.splice(1, 1)],
    ['a gap in its messages', '/tasks/0/messages/0/seq', (document) => at(document).messages.shift()],
    [
      'a result that nobody asked for',
      '/tasks/0/messages/2',
      (document) =>
        (at(document).messages[2] = {
          ...at(document).messages[2],
          content: [{ type: 'tool_result', tool_use_id: 'toolu_9', content: '' }],
        } as never),
    ],
    [
      'a call without a result',
      '/tasks/0/messages/2',
      (document) =>
        (at(document).messages[2] = {
          ...at(document).messages[2],
          content: [{ type: 'text', text: 'No.' }],
        } as never),
    ],
    [
      'a call that no message asks for',
      '/tasks/0/toolCalls/0/toolUseId',
      (document) => Object.assign(at(document).toolCalls[0] ?? {}, { toolUseId: 'x' }),
    ],
    [
      'a call that still streams',
      '/tasks/0/toolCalls/0/state',
      (document) => Object.assign(at(document).toolCalls[0] ?? {}, { state: 'generating' }),
    ],
    [
      'a time before all times',
      '/tasks/0/events/0/at',
      (document) => Object.assign(at(document).events[0] ?? {}, { at: '0000-01-01T00:00:00Z' }),
    ],
    [
      'a number that no column holds',
      '/tasks/0/messages/0/turn',
      (document) => Object.assign(at(document).messages[0] ?? {}, { turn: 2 ** 40 }),
    ],
    [
      'money that is none',
      '/tasks/0/task/usage/costUsd',
      (document) => (at(document).task.usage.costUsd = 'NaN'),
    ],
    [
      'a tag that no index holds',
      '/tasks/0/task/tags/0',
      (document) => (at(document).task.tags = ['x'.repeat(5_000)]),
    ],
    [
      'an agent whose name is markup',
      '/tasks/0/task/agent',
      (document) => (at(document).task.agent = '<script>'),
    ],
    [
      'an event that is none',
      '/tasks/0/events/0/type',
      (document) => Object.assign(at(document).events[0] ?? {}, { type: 'task.run' }),
    ],
    ['a NUL byte', '/tasks/0/task/prompt', (document) => (at(document).task.prompt = 'a\0b')],
    ['half of a character', '/tasks/0/task/prompt', (document) => (at(document).task.prompt = 'a\ud800')],
  ];
  it.each(cases)('with %s is refused with its place, and leaves nothing', async (_, pointer, change) => {
    const tree = await aTree();
    const document = await exported(tree.root);
    change(document, tree);
    const count = async () => (await query('SELECT count(*)::int AS n FROM tasks'))[0]?.['n'];
    const before = await count();
    const problem = await problemFrom(await send(document));
    expect([problem.status, problem.errors?.map((error) => error.pointer)]).toEqual([
      400,
      expect.arrayContaining([pointer]),
    ]);
    expect(await count()).toBe(before);
  });

  it('of 50 MB is refused before it is read', async () => {
    const response = await send(`{"format":"${'x'.repeat(50_000_000)}"}`);
    expect(await problemFrom(response)).toMatchObject({ status: 413, code: 'body_too_large' });
  });

  it('that nests without end, or names members like methods, breaks nothing', async () => {
    const deep = `{"tasks":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await problemFrom(await send(deep))).errors?.[0]?.detail).toContain('nested deeper');
    expect((await problemFrom(await send('{"__proto__": {"x": 1}}'))).status).toBe(400);
    const document = await exported((await aTree()).root);
    at(document).task.metadata = { constructor: 'x', toString: 'y' };
    at(document).task.input = { hasOwnProperty: 1, constructor: { prototype: 2 } };
    const { metadata, input } = await imported(document);
    expect([metadata, input]).toEqual([at(document).task.metadata, at(document).task.input]);
  });

  it('names nothing of this installation, and carries no secret into it', async () => {
    const document = await exported((await aTree()).root);
    const [victim, secret] = [newId('ask'), 'tok_live_51xyzABCDEFGH'];
    Object.assign(at(document).events[4]?.data ?? {}, { interactionId: victim });
    at(document).task.prompt = `export FOO_TOKEN=${secret}`;
    const { id, prompt } = await imported(document);
    const all = JSON.stringify([
      await get(`/v1/tasks/${id}/events`),
      await get(`/v1/tasks/${id}/history/api`),
      prompt,
    ]);
    expect(all).not.toContain(victim);
    expect(all).not.toContain(secret);
    expect(prompt).toBe('export FOO_TOKEN=[hidden]');
  });
});

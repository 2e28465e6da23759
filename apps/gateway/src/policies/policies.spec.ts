/** The policy over HTTP: its layers, who may change which, and trials of command lines. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PolicyTestResult, PolicyView, TenantKey, type TaskView } from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
let writer: string;
beforeAll(async () => {
  bullpen = await startTestGateway();
  await bullpen.post('/v1/tenants', { id: 'writers' });
  writer = TenantKey.parse(await (await bullpen.post('/v1/tenants/writers/keys')).json()).key;
});
afterAll(() => bullpen?.close());

const send = (method: string, path: string, body?: unknown, key?: string) =>
  bullpen.call(`/v1/policies/${path}`, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
    ...(key !== undefined && { key }),
  });
const decisions = async (body: object) =>
  PolicyTestResult.parse(await (await bullpen.post('/v1/policies/test', body)).json()).data;

describe('layers of the policy', () => {
  it('are written, read, listed, and taken away, one revision after the other', async () => {
    expect((await send('GET', 'project?key=/a')).status).toBe(404);
    const written = await send('PUT', 'project?key=/a', { layer: { approvals: { alwaysAllowWrite: true } } });
    expect(PolicyView.parse(await written.json())).toMatchObject({
      scope: 'project',
      key: '/a',
      revision: 1,
      updatedBy: 'test',
    });
    expect(await problemFrom(await send('PUT', 'project?key=/a', { layer: {} }))).toMatchObject({
      status: 409,
      code: 'revision_conflict',
    });
    expect((await send('PUT', 'project?key=/a', { layer: {}, revision: 1 })).status).toBe(200);
    const list = (await (await bullpen.call('/v1/policies')).json()) as { data: PolicyView[] };
    expect(list.data).toEqual([expect.objectContaining({ key: '/a', revision: 2 })]);
    expect((await send('DELETE', 'project?key=/a')).status).toBe(200);
    expect((await send('DELETE', 'project?key=/a')).status).toBe(404);
  });

  it('of everybody are changed by admins only, and those of a tree by who sees it', async () => {
    for (const place of ['installation', 'project?key=/a'])
      expect(await problemFrom(await send('PUT', place, { layer: {} }, writer))).toMatchObject({
        status: 403,
      });
    const task = (await (await bullpen.post('/v1/tasks', { prompt: 'x' })).json()) as TaskView;
    expect((await send('PUT', `task?key=${task.id}`, { layer: {} }, writer)).status).toBe(404);
    expect((await send('PUT', `task?key=${task.id}`, { layer: {} })).status).toBe(200);
  });

  it.each([
    ['GET', 'world', undefined, 404],
    ['GET', 'installation?key=x', undefined, 400],
    ['PUT', 'project?key=relative', { layer: {} }, 400],
    ['PUT', 'installation', { layer: { approvals: { alwaysAllowAll: true } } }, 400],
    ['PUT', 'installation', { layer: { locked: ['nothing'] } }, 400],
    ['PUT', 'installation', {}, 400],
    ['GET', 'task?key=task_none', undefined, 404],
  ])('answer %s %s with %j by %i', async (method, path, body, status) => {
    expect((await send(method, path, body)).status).toBe(status);
  });

  it('decide what a submitted task may do', async () => {
    const layer = {
      approvals: { alwaysAllowWrite: true, alwaysAllowExecute: false },
      locked: ['alwaysAllowExecute'],
    };
    await send('PUT', 'installation', { layer });
    const task = (await (
      await bullpen.post('/v1/tasks', { prompt: 'x', approvals: { alwaysAllowExecute: true } })
    ).json()) as TaskView;
    const { rows } = await bullpen.pool.query<{ definition: { approvals: object } }>(
      'SELECT definition FROM tasks WHERE id = $1',
      [task.id],
    );
    expect(rows[0]?.definition.approvals).toMatchObject({
      alwaysAllowWrite: true,
      alwaysAllowExecute: false,
    });
    await send('DELETE', 'installation');
  });
});

describe('a trial of command lines', () => {
  it('gives each line its verdict, by the layers or by given settings', async () => {
    const settings = { rules: { commands: { allow: ['npm ci'] } } };
    const lines = ['ls', 'npm ci', 'rm -rf /', 'cp a db/x', 'git push'];
    const given = await decisions({ commands: lines, settings });
    expect(given.map(({ decision }) => decision)).toEqual(['approve', 'approve', 'deny', 'ask', 'ask']);
    expect(given[3]).toMatchObject({
      command: 'cp a db/x',
      rule: 'program.unknown',
      span: { text: 'cp a db/x' },
    });
    const boxed = await decisions({ commands: lines, settings, boxed: true });
    expect(boxed.map(({ decision }) => decision)).toEqual(['approve', 'approve', 'deny', 'approve', 'ask']);
    expect((await decisions({ commands: 'ls' })).map(({ rule }) => rule)).toEqual(['execute.off']);
  });

  it('is open to keys that only read, and refuses what is no trial', async () => {
    for (const body of [
      {},
      { commands: [] },
      { commands: 'ls', settings: {}, project: '/a' },
      { commands: 1 },
    ])
      expect((await bullpen.post('/v1/policies/test', body)).status).toBe(400);
  });
});

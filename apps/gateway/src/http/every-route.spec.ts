/** What holds for every route, made from the routes themselves: a new one that takes an id needs a row below, or fails here. */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LoginLink, Media, TaskView } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import type { ApiKeyScope } from '@bullpen/store';
import { EXAMPLES } from '../system/examples/index.js';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

/** What an id in a path is the id of: something of a tenant, or of the whole installation. */
type Owner = keyof Ids | 'installation';
const OWNERS: Readonly<Record<string, Owner>> = {
  '/v1/tasks/:id': 'task',
  '/v1/tasks/:id/tool-calls/:callId': 'call',
  '/v1/tasks/:id/model-calls/:callId': 'modelCall',
  '/v1/tasks/:id/messages/:messageId': 'inbox',
  '/v1/interactions/:id': 'ask',
  '/v1/checkpoints/:id': 'checkpoint',
  '/v1/restores/:id': 'restore',
  '/v1/processes/:id': 'process',
  '/v1/webhooks/:id': 'webhook',
  '/v1/webhooks/deliveries/:id': 'delivery',
  '/v1/api-keys/:id': 'key',
  '/v1/views/:id': 'view',
  '/v1/shares/:id': 'share',
  '/v1/bulk-actions/:id': 'bulk',
  '/v1/attachments/:digest': 'attachment',
  '/v1/tenants/:id': 'installation',
  '/v1/providers/:id': 'installation',
  '/v1/workers/:id': 'installation',
  '/v1/queues/:name': 'installation',
  '/v1/policies/:scope': 'installation',
  '/assets/:file': 'installation',
};

/** What needs more than the scope of its method, or less. A new entry here is a decision. */
const SCOPES: Readonly<Record<string, ApiKeyScope>> = {
  'POST /v1/policies/test': 'read',
  'DELETE /v1/sessions/current': 'read',
  ...Object.fromEntries(
    [
      ...['GET /v1/tenants', 'POST /v1/tenants', 'PATCH /v1/tenants/:id', 'POST /v1/tenants/:id/keys'],
      ...['GET /v1/api-keys', 'POST /v1/api-keys', 'DELETE /v1/api-keys/:id'],
      ...['POST /v1/queues/:name/pause', 'POST /v1/queues/:name/drain', 'POST /v1/queues/:name/resume'],
      ...['POST /v1/workers/:id/pause', 'POST /v1/workers/:id/drain', 'POST /v1/workers/:id/resume'],
      ...['POST /v1/providers/:id/resume', 'GET /v1/tasks/:id/model-calls/:callId/bodies'],
    ].map((route) => [route, 'admin'] as const),
  ),
};

interface Ids {
  readonly task: string;
  readonly call: string;
  readonly modelCall: string;
  readonly inbox: string;
  readonly ask: string;
  readonly checkpoint: string;
  readonly restore: string;
  readonly process: string;
  readonly webhook: string;
  readonly delivery: string;
  readonly key: string;
  readonly view: string;
  readonly share: string;
  readonly bulk: string;
  readonly attachment: string;
}
interface Route {
  readonly method: string;
  readonly url: string;
  readonly isPublic: boolean;
  /** The body of its example. */
  readonly body: object | undefined;
}

let bullpen: TestGateway;
let routes: readonly Route[];
/** Of the tenant `default`; the caller is of another one. */
let ids: Ids;
let nobodys: Ids;
beforeAll(async () => {
  bullpen = await startTestGateway();
  const document = (await (await fetch(`${bullpen.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  routes = bullpen.gateway.routes.routes.map((route) => {
    const path = route.url.replace(/:(\w+)/g, '{$1}');
    const name = document.paths[path]?.[route.method.toLowerCase()]?.operationId ?? '';
    return { ...route, body: EXAMPLES[name]?.body };
  });
  ids = await aWorld();
  const fresh = Object.entries(ids).map(([kind, id]) => [
    kind,
    kind === 'attachment' ? 'f'.repeat(64) : newId(id.split('_')[0] as 'task'),
  ]);
  nobodys = Object.fromEntries(fresh) as unknown as Ids;
});
afterAll(() => bullpen?.close());

/** One of everything that a tenant can have. */
async function aWorld(): Promise<Ids> {
  const { id: task } = TaskView.parse(await (await bullpen.post('/v1/tasks', { prompt: 'x' })).json());
  const made = async (path: string, body: object): Promise<string> => {
    const answer = (await (await bullpen.post(path, body)).json()) as { id: string };
    expect([path, answer.id]).toEqual([path, expect.any(String)]);
    return answer.id;
  };
  const of = { tenantId: 'default', taskId: task, rootId: task };
  const modelCall = newId('mcall');
  const [call, ask, checkpoint, restore, process, webhook, delivery] = [
    ...[newId('call'), newId('ask'), newId('ckpt'), newId('restore'), newId('proc')],
    ...[newId('webhook'), newId('delivery')],
  ] as [string, string, string, string, string, string, string];
  await bullpen.pool.query(
    `INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, output)
     VALUES ($1, $2, 'msg', 1, 0, 'u', 'read_file', 'done', '{}', 'SECRET')`,
    [call, task],
  );
  await bullpen.pool.query(
    `INSERT INTO model_calls (id, task_id, turn, attempt, phase, model, status, request_hash, request_messages, started_at)
     VALUES ($1, $2, 1, 1, 'work', 'm', 'done', 'h', 1, now())`,
    [modelCall, task],
  );
  await bullpen.pool.query(
    `INSERT INTO model_call_bodies (model_call_id, request, request_bytes, response, response_bytes) VALUES ($1, 'SECRET', 6, 'SECRET', 6)`,
    [modelCall],
  );
  await bullpen.prisma.interaction.create({
    data: { id: ask, ...of, kind: 'question', title: 'Which?', payload: {} },
  });
  await bullpen.prisma.checkpoint.create({
    data: {
      ...{ id: checkpoint, ...of, workspaceId: task, reason: 'turn', turn: 1, messageSeq: 1, eventSeq: 2 },
      ...{ commit: 'c', files: 0, leftOut: [], bytes: 1 },
    },
  });
  await bullpen.prisma.restore.create({
    data: {
      ...{ id: restore, ...of, workspaceId: task, checkpointId: checkpoint, originId: checkpoint },
      ...{ what: 'files', dryRun: true },
    },
  });
  await bullpen.prisma.process.create({
    data: {
      ...{ id: process, taskId: task, callId: call, workerId: newId('worker'), host: 'h', pidSpace: 'p' },
      ...{ command: 'ls', limitMs: 1_000 },
    },
  });
  await bullpen.prisma.webhookEndpoint.create({
    data: { id: webhook, tenantId: 'default', url: 'https://example.com/' },
  });
  await bullpen.prisma.webhookDelivery.create({
    data: { id: delivery, endpointId: webhook, tenantId: 'default', type: 'ping', payload: '{}' },
  });
  const key = await bullpen.prisma.apiKey.findFirstOrThrow({ where: { tenantId: 'default' } });
  return {
    ...{ task, call, modelCall, ask, checkpoint, restore, process, webhook, delivery, key: key.id },
    attachment: Media.parse(
      await (await bullpen.post('/v1/attachments', EXAMPLES['createAttachment']?.body ?? {})).json(),
    ).sha256,
    inbox: await made(`/v1/tasks/${task}/messages`, { text: 'x' }),
    view: await made('/v1/views', EXAMPLES['createView']?.body ?? {}),
    share: await made(`/v1/tasks/${task}/shares`, {}),
    bulk: await made('/v1/bulk-actions', { action: { verb: 'archive' }, ids: [task] }),
  };
}

/** The rows of all tables, but for when a key was used last, and what the queue counts and announces by itself. */
async function everything(): Promise<Record<string, unknown>> {
  const { rows: tables } = await bullpen.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT IN
       ('queue_samples', 'search_texts', 'search_cursors', 'workers', 'repairs', 'repair_hours', 'bulk_actions', 'bulk_items')`,
  );
  const sums: Record<string, unknown> = {};
  for (const { name } of tables) {
    const { rows } = await bullpen.pool.query<{ sum: string }>(
      `SELECT md5(coalesce(string_agg(row, '' ORDER BY row), '')) AS sum
       FROM (SELECT (to_jsonb(t) - '{last_used_at,announced_at,announces}'::text[])::text AS row FROM "${name}" t) rows`,
    );
    sums[name] = rows[0]?.sum;
  }
  return sums;
}

const kindOf = (url: string): readonly (readonly [string, Owner | undefined])[] =>
  [...url.matchAll(/:(\w+)/g)].map(({ 0: parameter, index }) => [
    parameter,
    OWNERS[url.slice(0, index + parameter.length)],
  ]);
const isBoard = ({ url }: Route): boolean => url.startsWith('/admin/queues');

function pathOf({ url }: Pick<Route, 'url'>, of: Ids): string {
  const filled = kindOf(url).reduce((path, [parameter, owner]) => {
    const id = owner === undefined || owner === 'installation' ? 'x' : of[owner];
    return path.replace(parameter, id);
  }, url);
  return filled.replace('*', 'x');
}

async function call(
  route: Route,
  path: string,
  key: string | null,
): Promise<{ status: number; body: string }> {
  const { method, body } = route;
  const stop = new AbortController();
  const response = await bullpen.call(path, {
    ...{ method, key, signal: stop.signal, redirect: 'manual' },
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  // A stream would never end.
  const text = response.ok ? '' : await response.text();
  stop.abort();
  return { status: response.status, body: text };
}

/** A request with any headers; `fetch` would set Host and Origin itself. */
const bare = ({ method, body }: Route, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const to = { port: bullpen.port, host: '127.0.0.1', path, method };
    const text = body === undefined ? '' : JSON.stringify(body);
    const length = text === '' ? {} : { 'content-length': Buffer.byteLength(text) };
    const type = text === '' ? {} : { 'content-type': 'application/json' };
    const request = httpRequest({ ...to, headers: { ...headers, ...type, ...length } }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    request.on('error', reject);
    request.end(text);
  });

async function aCookie(): Promise<string> {
  const link = LoginLink.parse(await (await bullpen.post('/v1/login-links')).json()).url;
  const session = await bullpen.call('/v1/sessions', {
    ...{ method: 'POST', key: null, body: JSON.stringify({ code: link.split('#')[1] }) },
    headers: { 'content-type': 'application/json', origin: bullpen.url },
  });
  return (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

describe('every route', () => {
  it('that takes an id says whose ids these are', () => {
    const unknown = routes.flatMap((route) =>
      isBoard(route)
        ? []
        : kindOf(route.url).flatMap(([parameter, owner]) =>
            owner === undefined ? [`${route.url} ${parameter}`] : [],
          ),
    );
    expect(unknown).toEqual([]);
  });

  it('refuses a foreign Host, with a key and without', async () => {
    const exempt = ['/healthz', '/readyz'];
    const keys: Record<string, string>[] = [{}, { authorization: `Bearer ${bullpen.key}` }];
    for (const route of routes.filter(({ url }) => !exempt.includes(url)))
      for (const key of keys)
        for (const host of ['evil.example', `evil.example:${bullpen.port}`])
          expect([route, await bare(route, pathOf(route, ids), { host, ...key })]).toEqual([route, 403]);
  });

  it('that changes something refuses a page of another origin, whatever cookie comes along, and changes nothing', async () => {
    const cookie = await aCookie();
    const host = `127.0.0.1:${bullpen.port}`;
    const before = await everything();
    for (const route of routes.filter(({ method }) => method !== 'GET'))
      for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${bullpen.port + 1}`]) {
        const status = await bare(route, pathOf(route, ids), { host, cookie, origin });
        expect([route, origin, status]).toEqual([route, origin, 403]);
      }
    expect(await everything()).toEqual(before);
  });

  it('refuses a key that lacks its scope, and changes nothing', async () => {
    const all: readonly ApiKeyScope[] = ['read', 'write', 'admin'];
    const without = new Map<ApiKeyScope, string>();
    for (const scope of all)
      without.set(scope, await bullpen.newKey({ scopes: all.filter((one) => one !== scope) }));
    const before = await everything();
    const letIn: unknown[] = [];
    for (const route of routes.filter(({ isPublic }) => !isPublic)) {
      const ofMethod = route.method === 'GET' ? 'read' : 'write';
      const scope = isBoard(route) ? 'admin' : (SCOPES[`${route.method} ${route.url}`] ?? ofMethod);
      const { status, body } = await call(route, pathOf(route, ids), without.get(scope) ?? '');
      if (status !== 403 || !body.includes(`\\"${scope}\\"`))
        letIn.push([route.method, route.url, scope, status]);
    }
    expect(letIn).toEqual([]);
    expect(await everything()).toEqual(before);
  });

  it('answers an id of another tenant like one that does not exist, and changes nothing', async () => {
    const { id: own } = TaskView.parse(
      await (
        await bullpen.call('/v1/tasks', {
          ...{ method: 'POST', key: bullpen.otherKey, body: '{"prompt":"mine"}' },
          headers: { 'content-type': 'application/json' },
        })
      ).json(),
    );
    const before = await everything();
    const answer = async (route: Route, of: Ids) => {
      const { status, body } = await call(route, pathOf(route, of), bullpen.otherKey);
      const shown = Object.values(of).reduce((text, id) => text.replaceAll(id, '…'), body);
      return [status, shown.replace(/"traceId":"[^"]*"/, '')];
    };
    for (const route of routes) {
      const owners = kindOf(route.url).map(([, owner]) => owner);
      if (isBoard(route) || owners.length === 0 || owners.includes('installation')) continue;
      const foreign = await answer(route, ids);
      expect([route, foreign[0]]).toEqual([route, 404]);
      expect([route, foreign]).toEqual([route, await answer(route, nobodys)]);
      // The second id is of another tenant, and what it is said to belong to is not.
      if (owners.length < 2) continue;
      expect([route, await answer(route, { ...ids, task: own })]).toEqual([
        route,
        await answer(route, { ...nobodys, task: own }),
      ]);
    }
    expect(await everything()).toEqual(before);
  });

  it('takes no id of another tenant in a body or a query either', async () => {
    const { checkpoint, task, ask } = ids;
    const other = await bullpen.call('/v1/tasks', {
      ...{ method: 'POST', key: bullpen.otherKey, body: '{"prompt":"mine"}' },
      headers: { 'content-type': 'application/json' },
    });
    const { id: own } = TaskView.parse(await other.json());
    const before = await everything();
    const send = async (path: string, body?: object) => {
      const response = await bullpen.call(path, {
        ...{ method: body === undefined ? 'GET' : 'POST', key: bullpen.otherKey },
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const workspace = { kind: 'fork', checkpointId: checkpoint };
    for (const [path, body] of [
      ['/v1/tasks', { prompt: 'x', workspace }],
      [`/v1/tasks/${own}/restore`, { checkpointId: checkpoint, what: 'files' }],
      [`/v1/tasks/${own}/retry`, { fromCheckpoint: checkpoint }],
    ] as const)
      expect([path, (await send(path, body)).status]).toEqual([path, 404]);
    for (const path of [
      `/v1/tasks?rootId=${task}`,
      `/v1/interactions?rootId=${task}`,
      `/v1/tasks?parentId=${task}`,
    ])
      expect([path, await send(path)]).toMatchObject([path, { status: 200, body: { data: [] } }]);
    const answer = { ids: [ask], answer: { text: 'x' } };
    const foreign = JSON.stringify((await send('/v1/interactions/answers', answer)).body);
    const unknown = await send('/v1/interactions/answers', { ...answer, ids: [nobodys.ask] });
    expect(foreign.replaceAll(ask, nobodys.ask)).toBe(JSON.stringify(unknown.body));
    const bulk = { ids: [task], action: { verb: 'cancel' } };
    expect((await send('/v1/bulk-actions/preview', bulk)).body).toMatchObject({ matched: 0 });
    expect(await everything()).toEqual(before);
  });
});

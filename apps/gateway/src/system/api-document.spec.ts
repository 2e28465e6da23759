/** The API reference as clients are made from it: types, names, examples, and that each example can be sent. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json, JsonSchema } from '@bullpen/contracts';
import { everyAction } from '@bullpen/testing';
import { validateJson } from '@bullpen/tools';
import { toldActions } from '../http/next-actions.js';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

interface Media {
  readonly schema: JsonSchema;
  readonly example?: Json;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; schema: JsonSchema; example?: Json }[];
  readonly requestBody?: { required?: boolean; content: Record<string, Media> };
  readonly responses: Record<string, { content?: Record<string, Media> }>;
}
interface Document {
  readonly servers: readonly { url: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, JsonSchema & { required?: string[] }> };
}
interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

let bullpen: TestGateway;
let document: Document;
let routes: readonly Route[];
beforeAll(async () => {
  bullpen = await startTestGateway();
  document = await documentAt(bullpen.url);
  routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, ...operation })),
  );
});
afterAll(() => bullpen?.close());

describe('the next actions of refusals', () => {
  it('name requests that the reference has', () => {
    const told = [true, false].flatMap((optional) => toldActions(everyAction({ optional })));
    const requests = told.flatMap(({ request }) => request ?? []);
    expect(requests.length).toBeGreaterThan(40);
    const known = routes.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/{\w+}/g, '{}')}`);
    // A page for people, which no client calls.
    known.push('GET /docs');
    for (const { method, path } of requests)
      expect(known).toContain(`${method} ${path.replace(/{\w+}/g, '{}')}`);
    expect(JSON.stringify(document.components.schemas['ToldAction'])).toContain(
      '#/components/schemas/NextAction',
    );
  });

  it('are sent with bodies that their routes take', () => {
    for (const { request } of toldActions(everyAction({ optional: true }))) {
      if (request?.body === undefined) continue;
      const path = request.path.replace(/{\w+}/g, '{id}');
      const media =
        document.paths[path]?.[request.method.toLowerCase()]?.requestBody?.content['application/json'];
      // A placeholder stands for a value: `{trigger}` for a trigger.
      const example = JSON.parse(JSON.stringify(request.body).replace(/"{(\w+)}"/g, '"$1"')) as Json;
      expect(misfits(path, { schema: media?.schema ?? {}, example })).toEqual([]);
    }
  });
});

describe('the types', () => {
  it('let a field with a default be left out of what is sent, and have it in all that is answered', () => {
    const { schemas } = document.components;
    expect(schemas['CreateTask']?.required).toBeUndefined();
    expect(schemas['SendMessage']?.required).toEqual(['text']);
    expect(schemas['PolicyLayerInput']?.required).toBeUndefined();
    expect(schemas['PolicyLayer']?.required).toEqual(['approvals', 'locked', 'rules']);
    expect(JSON.stringify(schemas['PutPolicy'])).toContain('"#/components/schemas/PolicyLayerInput"');
    expect(JSON.stringify(schemas['Policy'])).toContain('"#/components/schemas/PolicyLayer"');
  });

  it('tell defaults in words: generators take a field with a `default` for one that must be given', () => {
    const { schemas } = document.components;
    expect(JSON.stringify(schemas)).not.toContain('"default":');
    expect(JSON.stringify(schemas['CreateTask'])).toContain('Default: `\\"general\\"`.');
  });

  it('give a schema one form when what is sent and what is answered are alike', () => {
    const names = Object.keys(document.components.schemas);
    const split = names.filter((name) => names.includes(`${name}Input`)).sort();
    // Of an exported task that is imported, fields that nobody knows are passed over.
    const ofDocuments = [
      ...[
        'ApprovalDecision',
        'Briefing',
        'ContextSize',
        'GivenItem',
        'ImportedFrom',
        'Media',
        'RuleFile',
        'TaskFailure',
        'TaskWorkspace',
        'TokenUsage',
        'WorkspaceOrigin',
      ],
    ];
    expect(split).toEqual(['BulkVerb', 'PolicyLayer', 'PolicyRules', 'TaskFilter', ...ofDocuments].sort());
    expect(names.filter((name) => name.includes('.'))).toEqual([]);
  });

  it('let a body be left out where every field of it may be', () => {
    const required = (id: string) => operation(id).requestBody?.required;
    expect(['cancelTask', 'pauseTask', 'createTenantKey'].map(required)).toEqual(
      Array<boolean>(3).fill(false),
    );
    expect(['createTask', 'sendMessage', 'createWebhook'].map(required)).toEqual(
      Array<boolean>(3).fill(true),
    );
  });
});

describe('the names', () => {
  it('of operations are those of methods, each with a verb of its own', () => {
    const names = routes.map(({ operationId }) => operationId);
    expect(names.filter((name) => !/^[a-z]+([A-Z][a-z]+)+$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['createTask', 'listTasks', 'getTask', 'cancelTask']));
  });

  it('of the server is the one under which it was asked', async () => {
    expect(document.servers).toEqual([{ url: bullpen.url }]);
    const local = `http://localhost:${bullpen.port}`;
    expect((await documentAt(local)).servers).toEqual([{ url: local }]);
  });
});

describe('the examples', () => {
  it('are there for each operation, sent and answered, and fit its types', () => {
    const faults = routes.flatMap((route) => [
      ...(route.parameters ?? [])
        .filter((parameter) => parameter.in === 'path' || parameter.example !== undefined)
        .flatMap(({ name, schema, example }) =>
          misfits(`${route.operationId} ?${name}`, { schema, example }),
        ),
      ...Object.values(route.requestBody?.content ?? {}).flatMap((media) =>
        misfits(`${route.operationId} body`, media),
      ),
      ...Object.values(firstAnswer(route)).flatMap((media) => misfits(`${route.operationId} answer`, media)),
    ]);
    expect(faults).toEqual([]);
    expect(routes.filter((route) => Object.keys(firstAnswer(route)).length === 0)).toEqual([]);
  });

  it('can be sent as they are, and let no agent do anything but read', async () => {
    const refused: [string, number, unknown][] = [];
    for (const route of routes) {
      const { status, problem } = await send(route);
      // The ids in paths are nobody's.
      if (status >= 300 && status !== 404) refused.push([route.operationId, status, problem]);
    }
    refused.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    expect(refused).toEqual([
      ['createSession', 401, expect.anything()],
      // An address that leads somewhere would be told of the tasks of whoever tries this out.
      ['createWebhook', 400, expect.objectContaining({ detail: expect.stringContaining('resolved') })],
      // Only the token of a link opens these.
      ['getShared', 401, expect.anything()],
      ['listSharedEvents', 401, expect.anything()],
    ]);

    const stored = await bullpen.prisma.task.findMany();
    // The imported one runs nothing anyway.
    const [task, ...others] = stored.filter(({ imported }) => imported === null);
    expect(others).toEqual([]);
    const { approvals, tools } = task?.definition as { approvals: Record<string, boolean>; tools: string[] };
    for (const category of ['Write', 'Execute', 'Browser', 'Mcp', 'Subtasks'])
      expect([category, approvals[`alwaysAllow${category}`]]).toEqual([category, false]);
    expect(tools.filter((tool) => /write|edit|command|spawn/.test(tool))).toEqual([]);
    const scopes = (await bullpen.prisma.apiKey.findMany({ where: { tenantId: 'team-a' } })).map(
      (key) => key.scopes,
    );
    expect(scopes.flat().every((scope) => scope === 'read')).toBe(true);
    const layers = await bullpen.prisma.storedPolicy.findMany();
    expect(JSON.stringify(layers)).not.toMatch(/:true/);
  });
});

async function documentAt(url: string): Promise<Document> {
  return (await (await fetch(`${url}/openapi.json`)).json()) as Document;
}

function operation(id: string): Operation {
  const found = routes.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
}

function firstAnswer({ responses }: Operation): Record<string, Media> {
  const [status] = Object.keys(responses).filter((code) => code.startsWith('2'));
  return responses[status ?? '']?.content ?? {};
}

function misfits(
  what: string,
  { schema, example }: { schema: JsonSchema; example?: Json | undefined },
): string[] {
  if (example === undefined) return [`${what}: no example`];
  const whole = { allOf: [schema], components: document.components as unknown as Json };
  return validateJson(whole, example).map((issue) => `${what}: ${issue}`);
}

/** Sends what the reference shows: parameters and body of the example. */
async function send(route: Route): Promise<{ status: number; problem: unknown }> {
  const { method, requestBody, parameters = [] } = route;
  const path = route.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(parameters.find((parameter) => parameter.name === name)?.example)),
  );
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === 'query' && parameter.example !== undefined)
      .map(({ name, example }): [string, string] => [name, String(example)]),
  );
  const body = requestBody?.content['application/json']?.example;
  const stop = new AbortController();
  const response = await bullpen.call(`${path}?${query}`, {
    method: method.toUpperCase(),
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
    signal: stop.signal,
  });
  // A stream would never end.
  const problem = response.ok ? null : await response.json();
  stop.abort();
  return { status: response.status, problem };
}

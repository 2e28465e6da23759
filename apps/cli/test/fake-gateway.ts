/** A gateway in memory: answers from a script, remembers what was asked, and can cut streams and refuse. */
import { someTotals } from '@bullpen/testing';
import type { StreamItem } from '@bullpen/client';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FoundIds, ProviderKeyView, TaskEvent, TaskView } from '@bullpen/contracts';
import { aTaskUsage, aTaskView } from './a-task.js';

const aTenant = {
  id: 'acme',
  name: 'Acme',
  weight: 3,
  maxRunning: null,
  running: 1,
  queued: 12,
  createdAt: '2026-01-01T00:00:00.000Z',
};

const NOTHING_CHANGED = {
  from: null,
  to: null,
  diffstat: { files: 0, insertions: 0, deletions: 0, list: [] },
};

export interface FakeGateway {
  readonly url: string;
  readonly requests: {
    readonly method: string;
    readonly path: string;
    readonly body: unknown;
    readonly key: string | undefined;
    /** Where a stream was asked to go on. */
    readonly lastEventId: string | undefined;
  }[];
  /** The task that every id means; changes show at once. */
  task: TaskView;
  providers: readonly ProviderKeyView[];
  /** Ids that can be found by a piece of them; null: any piece is an id. */
  ids: FoundIds['data'] | null;
  /** All answers of a stream, one list for each time it is opened; the last one is used again. After a list it is cut. */
  streams: (readonly StreamItem[])[];
  /** Leaves streams open after their items. */
  keepOpen: boolean;
  /** Called when a request has come, before it is answered. */
  onRequest(method: string, path: string): void;
  /** Called when an item has been sent. */
  onSent(item: StreamItem): void;
  /** Answers these paths with a document of their own; with a text as it is. */
  readonly answers: Map<string, unknown>;
  /** Answers these paths with a problem document. */
  readonly problems: Map<string, { status: number; code: string; [field: string]: unknown }>;
  close(): Promise<void>;
}

export async function startFakeGateway(port = 0): Promise<FakeGateway> {
  const gateway: Omit<FakeGateway, 'url' | 'close'> = {
    requests: [],
    task: aTaskView(),
    providers: [],
    ids: null,
    streams: [[]],
    keepOpen: false,
    onRequest: () => undefined,
    onSent: () => undefined,
    answers: new Map(),
    problems: new Map(),
  };
  const server = createServer((request, response) => {
    void answer(gateway, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(gateway, { url, close: () => close(server) });
}

async function answer(
  gateway: Omit<FakeGateway, 'url' | 'close'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
  const method = request.method ?? 'GET';
  const key = request.headers.authorization;
  gateway.requests.push({
    method,
    path: `${pathname}${searchParams.size ? `?${searchParams}` : ''}`,
    body: await bodyOf(request),
    key,
    lastEventId: request.headers['last-event-id']?.toString(),
  });
  gateway.onRequest(method, pathname);
  const problem = gateway.problems.get(`${method} ${pathname}`);
  if (problem !== undefined) {
    const document = {
      type: 'about:blank',
      title: 'Refused',
      detail: 'Refused.',
      traceId: 'req_1',
      ...problem,
    };
    response
      .writeHead(problem.status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify(document));
    return;
  }
  if (pathname.endsWith('/stream')) return stream(gateway, response);
  const found = pathname === '/v1/ids' ? idsLike(gateway, searchParams) : json(gateway, method, pathname);
  response
    .writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
    .end(typeof found === 'string' ? found : JSON.stringify(found));
}

function json(gateway: Omit<FakeGateway, 'url' | 'close'>, method: string, path: string): unknown {
  const { task } = gateway;
  if (gateway.answers.has(path)) return gateway.answers.get(path);
  const events = gateway.streams.flat().filter((item): item is TaskEvent => 'seq' in item);
  if (path === '/v1/tasks')
    return method === 'POST' ? task : { data: [task], nextCursor: null, hasMore: false };
  if (path.endsWith('/tree')) return { rootId: task.rootId, tasks: [{ ...task, path: [task.id] }] };
  if (path.endsWith('/attempts')) return { data: [] };
  if (path.endsWith('/briefing')) return { briefing: null };
  if (path.startsWith('/v1/tasks/') && path.endsWith('/usage')) return aTaskUsage();
  if (path.endsWith('/diff')) return NOTHING_CHANGED;
  if (path.endsWith('/events') || path.endsWith('/history/ui'))
    return { data: events, nextAfter: null, hasMore: false };
  if (path.endsWith('/history/api')) return { data: [], nextCursor: null, hasMore: false };
  if (path.includes('/messages')) return method === 'GET' ? aPage([]) : anInboxMessage(task);
  if (path.endsWith('/rewind')) return { taskId: task.id, exchanges: 1, messages: 2, text: 'Say hello' };
  if (path === '/v1/usage')
    return {
      groupBy: 'day',
      splitBy: null,
      data: [{ ...someTotals({ costUsd: '0.5', modelCalls: 3 }), key: '2026-01-01', part: null }],
      total: someTotals({ costUsd: '0.5' }),
      outcomes: [],
      dearest: [],
    };
  if (path === '/v1/system') return aSystem();
  if (path === '/v1/providers') return { data: gateway.providers };
  if (path.startsWith('/v1/providers/'))
    return { ...gateway.providers.find(({ id }) => path.includes(id)), state: 'open', waitingTasks: 0 };
  if (path === '/v1/login-links') return { url: 'http://127.0.0.1/login#code', expiresAt: task.createdAt };
  if (path === '/v1/agents') return { data: [] };
  if (path === '/v1/tenants' && method === 'GET') return { data: [aTenant] };
  if (path.endsWith('/keys'))
    return { tenantId: 'acme', name: 'api', scopes: ['read', 'write'], key: 'bp_new' };
  if (path.startsWith('/v1/tenants')) return aTenant;
  return task;
}

function idsLike({ ids }: Pick<FakeGateway, 'ids'>, query: URLSearchParams): FoundIds {
  const [kind = '', piece = ''] = [query.get('kind') ?? '', query.get('piece') ?? ''];
  const data = ids?.filter(
    ({ id }) =>
      id.startsWith(`${kind}_`) && (id.includes(`_${piece}`) || id.startsWith(piece) || id.endsWith(piece)),
  );
  return { data: data ?? [{ id: piece, title: 'It' }], hasMore: false };
}

const aPage = (data: readonly unknown[]) => ({ data, nextCursor: null, hasMore: false });

const anInboxMessage = ({ id: taskId, createdAt }: TaskView) => ({
  ...{ id: 'inbox_1', taskId, text: 'x', createdAt, editedAt: null, withdrawnAt: null, deliveredAt: null },
});

function aSystem(): object {
  return {
    version: '0.0.1',
    queueBackend: 'postgres',
    model: { baseUrl: 'http://x', simulated: true },
    workspacePaths: 'any',
    workers: [],
    tasks: {},
    repairs: {},
  };
}

function stream(gateway: Omit<FakeGateway, 'url' | 'close'>, response: ServerResponse): void {
  const items = gateway.streams.length > 1 ? gateway.streams.shift() : gateway.streams[0];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const item of items ?? []) {
    const id = 'cursor' in item ? `id: ${item.cursor}\n` : '';
    response.write(`${id}event: ${item.type}\ndata: ${JSON.stringify(item)}\n\n`);
    gateway.onSent(item);
  }
  if (!gateway.keepOpen) response.end();
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const part of request) text += String(part);
  return text === '' ? undefined : JSON.parse(text);
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

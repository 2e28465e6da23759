/** A gateway on a real port and a database of its own, for specs. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Problem, TaskEvent } from '@bullpen/contracts';
import { ModeMachine, NO_SECRETS, type Masker } from '@bullpen/core';
import { loadExtensions } from '@bullpen/extensions';
import { hasPrice } from '@bullpen/models/prices';
import { gatewaySettings, parseEnv, silentLogger, type Logger } from '@bullpen/platform';
import { openEventBus, type EventBus, type QueueConnection } from '@bullpen/queue';
import {
  createPool,
  createPrisma,
  newApiKey,
  registerApiKey,
  type ApiKeyScope,
  type Prisma,
} from '@bullpen/store';
import { testDatabase } from '@bullpen/testing';
import { BUILT_IN_TOOLS, schemaIssues } from '@bullpen/tools';
import { createGateway, type Gateway } from '../gateway.js';
import type { Pool } from '../http/tokens.js';
import { knownModels } from '../tasks/known-models.js';

export interface TestGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly port: number;
  readonly home: string;
  readonly databaseUrl: string;
  readonly key: string;
  readonly otherKey: string;
  readonly prisma: Prisma;
  readonly pool: Pool;
  readonly bus: EventBus;
  /** A request with the key, unless the headers say otherwise. */
  call(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  newKey(options: { tenantId?: string; scopes?: readonly ApiKeyScope[]; expiresAt?: Date }): Promise<string>;
  /** Ports of the clients that are connected. */
  openPorts(): number[];
  close(): Promise<void>;
}

export interface TestGatewayOptions {
  readonly env?: Record<string, string>;
  readonly redisUrl?: string;
  readonly logger?: Logger;
  readonly masker?: Masker;
  readonly wrapBus?: (bus: EventBus) => EventBus;
  /** Another gateway of the same installation, or whoever else has a database: it is used, and stays when this one is closed. */
  readonly beside?: Pick<TestGateway, 'databaseUrl'>;
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const { beside } = options;
  const database = beside ? { url: beside.databaseUrl, drop: () => Promise.resolve() } : await testDatabase();
  const home = await mkdtemp(join(tmpdir(), 'bullpen-gateway-'));
  const pool = createPool({ databaseUrl: database.url });
  const prisma = createPrisma({ databaseUrl: database.url });
  const logger = options.logger ?? silentLogger();
  const queue: QueueConnection =
    options.redisUrl === undefined
      ? { kind: 'postgres', databaseUrl: database.url }
      : { kind: 'redis', redisUrl: options.redisUrl, prefix: `test-${process.pid}-${Date.now()}` };
  const bus = (options.wrapBus ?? ((same) => same))(openEventBus(queue, logger));
  const newKey: TestGateway['newKey'] = async ({
    tenantId = 'default',
    scopes = ['read', 'write', 'admin'],
    expiresAt,
  }) => {
    const secret = newApiKey();
    await prisma.tenant.upsert({
      where: { id: tenantId },
      update: {},
      create: { id: tenantId, name: tenantId },
    });
    await registerApiKey(prisma, { secret, tenantId, name: 'test', scopes, ...(expiresAt && { expiresAt }) });
    return secret;
  };
  const [key, otherKey] = [await newKey({}), await newKey({ tenantId: 'other' })];
  const { agents, sources, modes, modeSources, profiles, toolNames } = await loadExtensions({
    home,
    modules: [],
    builtInTools: BUILT_IN_TOOLS,
    schemaIssues,
  });
  const gateway = await createGateway({
    settings: parseEnv(gatewaySettings, { PORT: '0', BULLPEN_HOME: home, ...options.env }),
    logger,
    pool,
    prisma,
    bus,
    queue,
    resolve: {
      agents,
      defaultModel: 'claude-test',
      profiles,
      // Known and priced, but to be told from a default that is filled in elsewhere.
      models: {
        ...knownModels({ DEFAULT_MODEL: 'claude-test', EXTRA_MODELS: ['claude-test', 'my-own'] }),
        hasPrice: (model) => model === 'claude-test' || hasPrice(model),
      },
      toolNames,
      validate: (_schema, value) =>
        typeof value === 'object' && value !== null && 'folder' in value
          ? []
          : ['the value must have a folder'],
      schemaIssues: () => [],
    },
    agentSources: sources,
    modes: new ModeMachine(modes),
    modeSources,
    model: { baseUrl: 'http://127.0.0.1:1', simulated: true },
    version: '0.0.0-test',
    masker: options.masker ?? NO_SECRETS,
  });
  const sockets = new Set<Socket>();
  gateway.app.getHttpServer().on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const closing = new AbortController();
  const close = async (): Promise<void> => {
    // Answers that nobody read to their end hold their connections, and those hold the process.
    closing.abort();
    await gateway.close();
    await bus.close();
    await prisma.$disconnect();
    await pool.end();
    await database.drop();
    await rm(home, { recursive: true, force: true });
  };
  const { port, url } = await gateway.listen().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const call: TestGateway['call'] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    const given = init.key === undefined ? key : init.key;
    if (given !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${given}`);
    const signal = init.signal ? AbortSignal.any([init.signal, closing.signal]) : closing.signal;
    return fetch(`${url}${path}`, { ...init, headers, signal });
  };
  return {
    gateway,
    url,
    port,
    home,
    databaseUrl: database.url,
    key,
    otherKey,
    prisma,
    pool,
    bus,
    call,
    newKey,
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      }),
    openPorts: () => [...sockets].map((socket) => socket.remotePort ?? 0),
    close,
  };
}

/** Writes an event as a worker would, tells the bus, and gives the sequence number. */
export async function appendEvent(
  { pool, bus }: Pick<TestGateway, 'pool' | 'bus'>,
  taskId: string,
  event: { type: TaskEvent['type']; data: object },
  options: { state?: string; silent?: boolean } = {},
): Promise<number> {
  const { rows } = await pool.query<{ seq: number; root_id: string; tenant_id: string }>(
    `with task as (
       update tasks set event_seq = event_seq + 1, state = coalesce($4::task_state, state) where id = $1
       returning id, event_seq, root_id, tenant_id)
     insert into ui_events (task_id, seq, root_id, tenant_id, type, data)
     select id, event_seq, root_id, tenant_id, $2, $3::json from task returning seq, root_id, tenant_id`,
    [taskId, event.type, JSON.stringify(event.data), options.state ?? null],
  );
  const [row] = rows;
  if (!row) throw new Error(`no task ${taskId}`);
  if (!options.silent)
    bus.publish({ kind: 'rows', tenantId: row.tenant_id, rootId: row.root_id, taskId, seq: row.seq });
  return row.seq;
}

/** Ends a task as a worker would. */
export function endTask(
  gateway: Pick<TestGateway, 'pool' | 'bus'>,
  taskId: string,
  state = 'completed',
): Promise<number> {
  return appendEvent(
    gateway,
    taskId,
    { type: 'task.status_changed', data: { from: 'running', to: state, cause: 'goal' } },
    { state },
  );
}

/** The problem of an answer, checked for its form. */
export async function problemFrom(response: Response): Promise<Problem> {
  const body = (await response.json()) as Problem;
  if (!response.headers.get('content-type')?.startsWith('application/problem+json'))
    throw new Error(`not a problem: ${response.status} ${JSON.stringify(body)}`);
  return body;
}

/**
 * Sends a request whose process gets no further than the commit of its effect: the answer, told by a field that only it has, cannot be
 * stored any more.
 */
export async function sendAndDie(
  { pool }: TestGateway,
  field: string,
  send: () => Promise<Response>,
): Promise<Response> {
  await pool.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'died'; END $$;
    CREATE TRIGGER dies BEFORE UPDATE ON idempotency_keys FOR EACH ROW WHEN (NEW.response::jsonb ? '${field}') EXECUTE FUNCTION die()`);
  try {
    return await send();
  } finally {
    await pool.query('DROP TRIGGER dies ON idempotency_keys; DROP FUNCTION die');
  }
}

/** Puts the gateway together, ready to listen. Everything that lives longer than it is handed in. */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type AgentSource } from '@bullpen/contracts';
import type { Masker, ModeMachine, ResolveContext } from '@bullpen/core';
import { installDefaultBackend, QUEUE_NAME, type EventBus, type QueueConnection } from '@bullpen/queue';
import type { Prisma } from '@bullpen/store';
import { getQueueToken } from '@nestjs/bullmq';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Queue } from 'bullmq';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module.js';
import { installGuard } from './auth/guard.js';
import { AllowedHosts } from './http/host-check.js';
import { createHttpAdapter } from './http/http-adapter.js';
import { NestLogger } from './http/nest-logger.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RouteTable } from './http/route-table.js';
import type { GatewaySettings, Logger, Pool } from './http/tokens.js';
import { serveQueueBoard } from './queues/queue-board.js';
import { ApiDocument } from './system/api-document.js';
import { serveDashboard } from './system/dashboard.js';
import { serveDocsAssets } from './system/docs-assets.js';
import { AgentCatalogue } from './tasks/agent-catalogue.js';

const WARM_UP_MS = 3_000;

export interface GatewayDeps {
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  readonly pool: Pool;
  readonly prisma: Prisma;
  readonly bus: EventBus;
  readonly queue: QueueConnection;
  /** Agents, tools and the default model: what a submitted task is resolved with. */
  readonly resolve: ResolveContext;
  /** Where each agent comes from, by name. */
  readonly agentSources: ReadonlyMap<string, AgentSource>;
  readonly modes: ModeMachine;
  /** Where each mode comes from, by name. */
  readonly modeSources: ReadonlyMap<string, AgentSource>;
  readonly model: { readonly baseUrl: string; readonly simulated: boolean };
  readonly version: string;
  /** Knows the values that no answer may hold. */
  readonly masker: Masker;
}

export interface Gateway {
  readonly app: NestFastifyApplication;
  readonly routes: RouteTable;
  /** Starts to take requests. Throws `port_in_use`. */
  listen(): Promise<{ port: number; url: string }>;
  /** Ends streams and requests and gives up the queue. What was handed in stays open. */
  close(): Promise<void>;
}

/** Builds the gateway and registers every route. */
export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { settings, logger, masker } = deps;
  const address: { port: number | null } = { port: null };
  const routes = new RouteTable();
  const hosts = new AllowedHosts(settings, () => address.port);
  const document = new ApiDocument();
  const bodyLimit = settings.BODY_LIMIT_BYTES;
  const problems = new ProblemFilter({ logger, routes });

  const adapter = createHttpAdapter({ logger, bodyLimit, routes, hosts, problems, masker });
  const fastify = adapter.getInstance<FastifyInstance>();
  installGuard(fastify, { pool: deps.pool, prisma: deps.prisma, hosts, logger });

  // @nestjs/bullmq builds its queue without saying on what.
  installDefaultBackend(deps.queue);
  const info = {
    version: deps.version,
    queueBackend: deps.queue.kind,
    modelBaseUrl: deps.model.baseUrl,
    modelSimulated: deps.model.simulated,
    url: () => urlOf(settings, address.port),
  };
  const agents = new AgentCatalogue({ ...deps.resolve, modes: deps.modes.modes }, deps.agentSources);
  const module = AppModule.with({ ...deps, info, agents, hosts, document }, deps.queue);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  app.useGlobalFilters(problems);
  await app.init();
  const queue = app.get<Queue>(getQueueToken(QUEUE_NAME));
  await serveQueueBoard(fastify, queue, bodyLimit);
  await serveDocsAssets(fastify);
  await serveDashboard(fastify);
  document.describe(app, routes, deps.version);
  await warmUp(queue, logger);

  return {
    app,
    routes,
    listen: async () => {
      address.port = await listen(app, settings);
      return { port: address.port, url: info.url() };
    },
    close: () => app.close(),
  };
}

/**
 * Gives the queue a moment to connect, the first time also to make its tables, so that the first task is announced at once.
 * A queue that is away keeps nobody waiting: tasks are stored, and announced when it is back.
 */
async function warmUp(queue: Queue, logger: Logger): Promise<void> {
  const ready = queue
    .waitUntilReady()
    .catch((error: unknown) => logger.warn({ err: error }, 'the queue is not reachable yet'));
  await Promise.race([ready, sleep(WARM_UP_MS, undefined, { ref: false })]);
}

async function listen(app: NestFastifyApplication, { HOST, PORT }: GatewaySettings): Promise<number> {
  try {
    await app.listen(PORT, HOST);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new AppError(
      'port_in_use',
      `Port ${PORT} on ${HOST} is taken by another process. Stop it, or set PORT to another port (0 picks a free one).`,
      { cause: error },
    );
  }
  return (app.getHttpServer().address() as AddressInfo).port;
}

function urlOf({ PUBLIC_URL, HOST }: GatewaySettings, port: number | null): string {
  if (PUBLIC_URL !== undefined) return PUBLIC_URL.replace(/\/+$/, '');
  const everywhere = ['0.0.0.0', '::', ''].includes(HOST);
  const host = everywhere ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST;
  return `http://${host}:${port ?? ''}`;
}

/**
 * Binds bull-board to Fastify. Its own adapter brings a template engine and two plugins, of which one cannot be loaded by Jest
 * on Node 20; what is needed of them is five placeholders and a folder of files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { AppError } from '@bullpen/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { invalidRequest } from '../http/problem.js';
import { findTextFault } from '../http/text-check.js';
import { serveFiles } from '../http/static-files.js';

export class BoardAdapter implements IServerAdapter {
  #queues: BullBoardQueues = new Map();
  #views = '';
  #statics = { route: '', folder: '' };
  #entry: AppViewRoute | null = null;
  #api: AppControllerRoute[] = [];
  #uiConfig: UIConfig = {};

  /** `allows` says which calls that are no GET are answered; all others are refused. */
  constructor(
    private readonly basePath: string,
    private readonly allows: (route: string, params: Readonly<Record<string, string>>) => boolean,
  ) {}

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues;
    return this;
  }
  setViewsPath(path: string): this {
    this.#views = path;
    return this;
  }
  setStaticPath(route: string, folder: string): this {
    this.#statics = { route, folder };
    return this;
  }
  setEntryRoute(route: AppViewRoute): this {
    this.#entry = route;
    return this;
  }
  /** Errors go to the gateway's own handler, which shows no insides. */
  setErrorHandler(): this {
    return this;
  }
  setApiRoutes(routes: AppControllerRoute[]): this {
    this.#api = routes;
    return this;
  }
  setUIConfig(config: UIConfig): this {
    this.#uiConfig = config;
    return this;
  }

  /** Registers everything below the base path. */
  register(fastify: FastifyInstance): void {
    serveFiles(fastify, { prefix: `${this.basePath}${this.#statics.route}/`, folder: this.#statics.folder });
    for (const url of [this.#entry?.route ?? []].flat())
      fastify.get(this.#url(url), (_request, reply) => this.#show(reply));
    for (const route of this.#api)
      for (const url of [route.route].flat())
        fastify.route({
          method: [route.method].flat().map((method) => method.toUpperCase() as HTTPMethods),
          url: this.#url(url),
          handler: (request, reply) => {
            const params = request.params as Record<string, string>;
            if (request.method !== 'GET' && !this.allows(url, params)) throw refused();
            return this.#call(route, request, reply);
          },
        });
  }

  #url(route: string): string {
    return route === '/' ? this.basePath : `${this.basePath}${route}`;
  }

  #show(reply: FastifyReply): FastifyReply {
    const view = this.#entry?.handler({ basePath: `${this.basePath}/`, uiConfig: this.#uiConfig });
    if (!view) throw new Error('The board has no entry page');
    const template = ownHostOnly(readFileSync(join(this.#views, view.name), 'utf8'));
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(fill(template, view.params));
  }

  async #call(
    route: AppControllerRoute,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { status, body } = await this.#answer(route, request).catch((error: unknown) => {
      // It decodes some of what it is asked once more.
      if (!(error instanceof URIError)) throw error;
      throw invalidRequest([{ pointer: '', detail: 'is not percent-encoded' }], 'The query');
    });
    return reply.code(status ?? 200).send(body);
  }

  async #answer(route: AppControllerRoute, request: FastifyRequest) {
    const { params, query } = request;
    // It looks for whatever it is given.
    const fault = findTextFault({ path: params, query });
    if (fault !== null) throw invalidRequest([fault], 'The request');
    return route.handler({
      queues: this.#queues,
      uiConfig: this.#uiConfig,
      params: request.params as Record<string, string>,
      query: request.query as Record<string, string>,
      body: (request.body ?? {}) as Record<string, string>,
      headers: request.headers as Record<string, string>,
    });
  }
}

function refused(): AppError {
  return new AppError(
    'method_not_allowed',
    'Here you can look at jobs and retry failed ones, nothing else. Change tasks, not jobs.',
    { nextActions: [{ action: 'task.pause' }, { action: 'task.resume' }, { action: 'task.cancel' }] },
  );
}

/** Without what the page would load from elsewhere, which are fonts; its styles name others to fall back to. */
function ownHostOnly(template: string): string {
  return template.replace(/<link\b[^>]*\bhref="(?:https?:)?\/\/[^>]*>\s*/g, '');
}

/** `<%= name %>` with the value escaped, `<%- name %>` with the value as it is. */
function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/<%([=-])\s*(\w+)\s*%>/g, (_match, kind: string, name: string) => {
    const value = values[name] ?? '';
    return kind === '-'
      ? value
      : value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  });
}

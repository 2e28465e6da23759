/** All registered routes, whoever registered them: for answers with 405, and for tests that visit every route. */
import type { FastifyInstance, RouteOptions } from 'fastify';

export interface KnownRoute {
  readonly method: string;
  /** Fastify's pattern: `/v1/tasks/:id`. */
  readonly url: string;
  /** True when no key is needed. */
  readonly isPublic: boolean;
}

export class RouteTable {
  readonly #routes: (KnownRoute & { pattern: RegExp })[] = [];

  /** Listens to registrations. Call it before anything registers a route. */
  attach(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => this.#add(route));
  }

  get routes(): readonly KnownRoute[] {
    return this.#routes;
  }

  /** Methods that a path takes; empty when no route fits it. */
  methodsOf(path: string): string[] {
    const fitting = this.#routes.filter((route) => route.pattern.test(path)).map((route) => route.method);
    return [...new Set(fitting)].sort();
  }

  #add(route: RouteOptions): void {
    const methods = Array.isArray(route.method) ? route.method : [route.method];
    for (const method of methods)
      this.#routes.push({ method, url: route.url, isPublic: route.config?.public === true, pattern: patternOf(route.url) });
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace('*', '.*')))
    .join('/');
  return new RegExp(`^${source}/?$`);
}

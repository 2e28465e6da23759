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
  readonly #registered: { method: string; route: RouteOptions; pattern: RegExp }[] = [];

  /** Listens to registrations. Call it before anything registers a route. */
  attach(fastify: FastifyInstance): void {
    fastify.addHook('onRoute', (route) => this.#add(route));
  }

  /** All routes. What is public is read now and not when they came: later hooks may have changed it. */
  get routes(): readonly KnownRoute[] {
    return this.#registered.map(({ method, route }) => ({
      method,
      url: route.url,
      isPublic: route.config?.public === true,
    }));
  }

  /** Methods that a path takes; empty when no route fits it. */
  methodsOf(path: string): string[] {
    const fitting = this.#registered.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(fitting)].sort();
  }

  #add(route: RouteOptions): void {
    const methods = Array.isArray(route.method) ? route.method : [route.method];
    for (const method of methods) this.#registered.push({ method, route, pattern: patternOf(route.url) });
  }
}

function patternOf(url: string): RegExp {
  const source = url
    .split('/')
    .map((part) =>
      part.startsWith(':') ? '[^/]+' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replace('*', '.*'),
    )
    .join('/');
  return new RegExp(`^${source}/?$`);
}

/** Who may call a route: with a key unless it says otherwise, and by scope. Set on the route itself, where the guard reads it. */
import { AppError } from '@bullpen/contracts';
import type { ApiKeyScope, Principal } from '@bullpen/store';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: no key is needed. */
    public?: boolean;
    /** The scope that is needed. Without it `read` for GET and `write` for the rest. */
    scope?: ApiKeyScope;
    /** True: people open it by hand. Without a session they are led to the login page instead of a JSON error. */
    page?: boolean;
  }
  interface FastifyRequest {
    /** Set by the guard on every route that is not public. */
    principal?: Principal;
  }
}

/** Opens a route to everyone. The list of public routes is spelled out in a test. */
export const Public = () => RouteConfig({ public: true });

/** Asks for another scope than the method's. */
export const NeedsScope = (scope: ApiKeyScope) => RouteConfig({ scope });

/** The principal of the request, as a handler's argument. */
export const CurrentPrincipal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): Principal => {
    const { principal } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!principal) throw new Error('A handler of a public route asked for the principal');
    return principal;
  },
);

/** Refuses who lacks a scope: on a whole route the guard does that, and this where it depends on what is asked for. Throws `forbidden`. */
export function requireScope({ scopes }: Principal, scope: ApiKeyScope): void {
  if (scopes.includes(scope)) return;
  throw new AppError('forbidden', `This needs a key with the scope "${scope}".`, {
    nextActions: [{ action: 'key.use_scope', scope }],
  });
}

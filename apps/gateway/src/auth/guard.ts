/**
 * The guard of all routes: deny by default. A Fastify hook and not a Nest guard, for two reasons: it also covers what plugins
 * serve (the queue dashboard), and it runs before the body is read, so that a stranger cannot make us parse anything.
 */
import { AppError } from '@bullpen/contracts';
import {
  checkApiKey,
  checkSession,
  touchApiKey,
  type Principal,
  type Prisma,
  type SessionCheck,
} from '@bullpen/store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedHosts } from '../http/host-check.js';
import type { Logger, Pool } from '../http/tokens.js';
import { requireScope } from './access.js';
import { readSessionCookie } from './session-cookie.js';

export interface GuardDeps {
  readonly pool: Pool;
  readonly prisma: Prisma;
  readonly hosts: AllowedHosts;
  readonly logger: Logger;
}

/** What a presented secret is worth. */
type Check = (secret: string) => Promise<SessionCheck>;

const NOTE_MS = 60_000;

/** Guards every route of the instance, those that are registered later included. */
export function installGuard(fastify: FastifyInstance, deps: GuardDeps): void {
  const noteUse = useNotes(deps);
  const checks = {
    key: shared((secret) => checkApiKey(deps.pool, secret)),
    session: shared((token) => checkSession(deps.prisma, token)),
  };
  fastify.addHook('onRequest', async (request, reply) => {
    // An unknown route tells nothing; its answer is the same with and without a key.
    if (request.is404) return;
    const { config } = request.routeOptions;
    if (config.public === true) return;
    try {
      request.principal = await authenticate(request, deps.hosts, checks);
    } catch (error) {
      if (isPageVisit(request) && error instanceof AppError && error.code === 'unauthorized')
        return toLogin(reply);
      throw error;
    }
    const scope = config.scope ?? (request.method === 'GET' ? 'read' : 'write');
    requireScope(request.principal, scope);
    noteUse(request.principal.keyId);
  });
}

async function authenticate(
  request: FastifyRequest,
  hosts: AllowedHosts,
  checks: Record<'key' | 'session', Check>,
): Promise<Principal> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const secret = /^Bearer +(\S{1,200})$/i.exec(authorization)?.[1];
    if (secret === undefined)
      throw new AppError('unauthorized', 'The header Authorization must be "Bearer <key>".');
    return principalOf(await checks.key(secret));
  }
  const token = readSessionCookie(cookie);
  if (token === null) throw new AppError('unauthorized', 'The request carries no key.');
  const principal = principalOf(await checks.session(token));
  refuseForeignPages(request, hosts);
  return principal;
}

/**
 * Requests that come with the same secret while it is being looked up share that look. Nothing is kept beyond it: a key that was revoked
 * and a session that was ended stop working at once.
 */
function shared(look: Check): Check {
  const underWay = new Map<string, Promise<SessionCheck>>();
  return (secret) => {
    const known = underWay.get(secret);
    if (known !== undefined) return known;
    const check = look(secret).finally(() => underWay.delete(secret));
    underWay.set(secret, check);
    return check;
  };
}

/** A browser adds the cookie to whatever page asks; only our own pages may ask for changes. */
function refuseForeignPages({ method, headers }: FastifyRequest, hosts: AllowedHosts): void {
  const { origin } = headers;
  const needed = method !== 'GET';
  if (origin === undefined ? !needed : hosts.hasOrigin(origin)) return;
  throw new AppError(
    'forbidden',
    'A request with the session cookie must come from a page of this gateway (header Origin).',
  );
}

function principalOf(check: SessionCheck): Principal {
  if (check.kind === 'valid') return check.principal;
  const why = {
    unknown: 'The key is not known here.',
    expired: 'The key has expired.',
    revoked: 'The key was revoked.',
    ended: 'The session has ended.',
  };
  throw new AppError('unauthorized', why[check.kind]);
}

function isPageVisit(request: FastifyRequest): boolean {
  return (
    request.method === 'GET' &&
    request.routeOptions.config.page === true &&
    (request.headers.accept ?? '').includes('text/html')
  );
}

function toLogin(reply: FastifyReply): FastifyReply {
  return reply.code(303).header('location', '/login').header('cache-control', 'no-store').send();
}

/**
 * Notes that a key was used; for people only, so the request is answered without waiting for it, and it may fail. Once a minute
 * and key: the database has better things to do.
 */
function useNotes({ prisma, logger }: GuardDeps): (keyId: string) => void {
  const noted = new Map<string, number>();
  return (keyId) => {
    const now = performance.now();
    if (now - (noted.get(keyId) ?? -Infinity) < NOTE_MS) return;
    noted.set(keyId, now);
    touchApiKey(prisma, keyId).catch((error: unknown) =>
      logger.warn({ err: error, keyId }, 'could not record the use of a key'),
    );
  };
}

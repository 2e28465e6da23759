/** Fastify with everything that must hold for every route, whether Nest serves it or a plugin does. */
import type { Masker } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { ConnectionError, FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { checkHosts, type AllowedHosts } from './host-check.js';
import { acceptJsonOnly } from './json-body.js';
import { PROBLEM_TYPE, type ProblemFilter } from './problem.filter.js';
import { maskAnswers, refuseMasks } from './masking.js';
import { invalidRequest, problemOf } from './problem.js';
import { logRequests } from './request-log.js';
import type { RouteTable } from './route-table.js';
import { addSecurityHeaders } from './security-headers.js';
import type { Logger } from './tokens.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The largest body in bytes, where that has to be more than elsewhere. */
    bodyLimit?: number;
  }
}

/** Longest time for a request to arrive, in ms; streams go out and are not bound by it. */
const REQUEST_TIMEOUT_MS = 30_000;

/** What is wrong with a request that never became one, by the code of Node's parser. */
const BROKEN_HTTP: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'has headers that are longer than 16 KB together',
  HPE_INVALID_EOF_STATE: 'ends too early',
  HPE_INVALID_METHOD: 'has a method that does not exist',
  HPE_INVALID_URL: 'has a path with characters that have to be percent-encoded',
  HPE_INVALID_CONTENT_LENGTH: 'has a Content-Length that is no number',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'has more than one length',
  HPE_INVALID_TRANSFER_ENCODING: 'has a Transfer-Encoding that cannot be read',
  HPE_INVALID_CHUNK_SIZE: 'has a chunk whose size is no number',
  HPE_INVALID_HEADER_TOKEN: 'has a header with characters that no header may have',
  HPE_INVALID_VERSION: 'has a version that is no version of HTTP/1',
  ERR_HTTP_REQUEST_TIMEOUT: 'took too long to arrive',
};

export interface HttpDeps {
  readonly logger: Logger;
  readonly bodyLimit: number;
  readonly routes: RouteTable;
  readonly hosts: AllowedHosts;
  readonly problems: ProblemFilter;
  readonly masker: Masker;
}

/** The adapter, ready for Nest. The order of the hooks is the order in which a request is judged. */
export function createHttpAdapter(deps: HttpDeps): FastifyAdapter {
  const options: FastifyHttpOptions<Server> = {
    bodyLimit: deps.bodyLimit,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node's own answer would be no problem document; the check of hosts says what is missing.
    http: { requireHostHeader: false },
    genReqId: (request) => traceIdOf(request.headers['x-request-id']),
    // A HEAD of a stream would never end; nothing here is worth a HEAD.
    exposeHeadRoutes: false,
    // Streams stay open for days: waiting for them would make every stop a kill.
    forceCloseConnections: true,
    // Fastify's own answer would be no problem document; closing takes no longer than a request.
    return503OnClosing: false,
    // Broken URLs, which the router meets before any hook or handler.
    frameworkErrors: (error, request, reply) => deps.problems.answer(error, request, reply),
    clientErrorHandler: answerBrokenHttp,
  };
  const adapter = new FastifyAdapter(options);
  const fastify = adapter.getInstance<FastifyInstance>();
  // The same: an expectation that nobody knows is passed over, as HTTP allows.
  fastify.server.on('checkExpectation', (request, response) =>
    fastify.server.emit('request', request, response),
  );
  deps.routes.attach(fastify);
  fastify.addHook('onRoute', (route) => {
    const { bodyLimit } = route.config ?? {};
    if (bodyLimit !== undefined) route.bodyLimit = Math.max(bodyLimit, deps.bodyLimit);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  maskAnswers(fastify, deps.masker);
  refuseMasks(fastify, deps.masker);
  logRequests(fastify, deps.logger);
  addSecurityHeaders(fastify);
  checkHosts(fastify, deps.hosts);
  acceptJsonOnly(fastify);
  return adapter;
}

/** The caller's id when it is a harmless one, so that its logs and ours meet; a new one otherwise. */
function traceIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(header) ? header : newId('req');
}

/** What is no HTTP at all, or headers without end: there is no request, only a socket. */
function answerBrokenHttp(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const context = { traceId: newId('req'), path: '', bodyLimit: 0 };
  const detail = BROKEN_HTTP[error.code] ?? 'cannot be read as HTTP';
  const body = JSON.stringify(problemOf(invalidRequest([{ pointer: '', detail }], 'The request'), context));
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${PROBLEM_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

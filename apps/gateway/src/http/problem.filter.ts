/** Turns everything thrown into a problem document, and logs what is our fault. */
import { AppError, type Problem } from '@bullpen/contracts';
import { Catch, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from './tokens.js';
import { problemOf } from './problem.js';
import type { RouteTable } from './route-table.js';

/** Media type of problem documents. */
export const PROBLEM_TYPE = 'application/problem+json';

@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #logger: Logger;
  readonly #routes: RouteTable;

  constructor(deps: { logger: Logger; routes: RouteTable }) {
    this.#logger = deps.logger;
    this.#routes = deps.routes;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Answers a request with the problem of an error; also for errors that never reach Nest. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const known = error instanceof NotFoundException ? this.#noRoute(request, reply) : error;
    const path = request.url.split('?', 1)[0] ?? '';
    const { bodyLimit = 0 } = request.routeOptions;
    const problem = problemOf(known, { traceId: request.id, path, bodyLimit });
    if (problem.status >= 500) {
      const { method } = request;
      this.#logger.error({ err: known, traceId: problem.traceId, method, path }, 'request failed');
    }
    if (reply.sent || reply.raw.headersSent) {
      // A stream has begun: there is no place for a document any more, and a cut connection is what readers recover from.
      reply.raw.destroy();
      return;
    }
    sendProblem(reply, problem);
  }

  #noRoute(request: FastifyRequest, reply: FastifyReply): AppError {
    const path = request.url.split('?', 1)[0] ?? '';
    const methods = this.#routes.methodsOf(path);
    if (methods.length === 0)
      return new AppError('not_found', `There is no route ${request.method} ${path.slice(0, 200)}.`, {
        nextActions: [{ action: 'reference.read' }],
      });
    void reply.header('allow', methods.join(', '));
    return new AppError(
      'method_not_allowed',
      `${path.slice(0, 200)} takes ${methods.join(', ')}, not ${request.method}.`,
    );
  }
}

/** Sends a problem document with the headers that belong to its code. */
function sendProblem(reply: FastifyReply, problem: Problem): void {
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer realm="bullpen"');
  if (problem.status === 429 || problem.status === 503 || problem.code === 'idempotency_in_flight')
    void reply.header('retry-after', '1');
  // Set here, too: what fails in the router has met no hook.
  void reply.header('x-request-id', problem.traceId);
  void reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .type(PROBLEM_TYPE)
    .send(JSON.stringify(problem));
}

/** One line for each request: no bodies, no query strings, no headers. */
import type { FastifyInstance } from 'fastify';
import type { Logger } from './tokens.js';

/** What probes and pages ask for all the time; of interest only when something is looked for. */
const QUIET = /^\/(healthz|readyz|docs\/|admin\/queues\/)/;

/** Logs each answer, also that of a request whose client went away. */
export function logRequests(fastify: FastifyInstance, logger: Logger): void {
  const log = logger.child({ part: 'http' });
  fastify.addHook('onResponse', (request, reply, done) => {
    const [path = ''] = request.url.split('?', 1);
    const fields = {
      traceId: request.id,
      method: request.method,
      path: path.slice(0, 500),
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime),
      ...(request.principal && { tenantId: request.principal.tenantId, keyId: request.principal.keyId }),
    };
    if (QUIET.test(path)) log.debug(fields, 'request');
    else log.info(fields, 'request');
    done();
  });
}

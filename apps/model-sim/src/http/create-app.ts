/** The HTTP server: routes, headers and the form of errors. */
import { fastify, type FastifyError, type FastifyInstance } from 'fastify';
import { ApiError, errorBody } from '../api-error.js';
import type { RequestLog } from '../request-log.js';
import { addControlRoutes } from './control-routes.js';
import { serveCount } from './count-tokens-route.js';
import { addModelRoutes } from './models-route.js';
import { serveMessages, type MessagesDeps } from './messages-route.js';
import { contextOf, isWitnessed, openContext } from './request-context.js';

/** The provider's limit for a request body. */
const BODY_LIMIT_BYTES = 32 * 1024 * 1024;

const SIMULATED_HEADER = { 'x-simulated': 'bullpen-model-sim' } as const;

/** Builds the app; it is not listening yet. */
export function createApp(deps: MessagesDeps, log: RequestLog): FastifyInstance {
  const app = fastify({ bodyLimit: BODY_LIMIT_BYTES, forceCloseConnections: true, keepAliveTimeout: 65_000 });
  app.removeAllContentTypeParsers();
  // Bytes, not JSON: the log has a digest of what was sent, and a bad body gets the API's error.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    const { draft } = openContext(request, reply, log);
    reply.headers({ ...SIMULATED_HEADER, 'request-id': draft.requestId });
    done();
  });
  answerErrors(app);
  app.get('/healthz', () => ({
    status: 'ok',
    simulated: true,
    scenarios: deps.scenarios.map(({ name }) => name),
  }));
  app.post('/v1/messages', (request, reply) => serveMessages(request, reply, deps));
  app.post('/v1/messages/count_tokens', (request, reply) => serveCount(request, reply, deps));
  addModelRoutes(app);
  addControlRoutes(app, deps.faults, log);
  return app;
}

function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw new ApiError(404, 'not_found_error', 'Not Found');
  });
  app.setErrorHandler<FastifyError | ApiError>((thrown, request, reply) => {
    const error = toApiError(thrown);
    const { record, draft } = contextOf(request);
    if (isWitnessed(draft.path)) record({ status: error.status, outcome: 'refused', error: error.message });
    return reply.code(error.status).send(errorBody(error.type, error.message, draft.requestId));
  });
}

function toApiError(error: FastifyError | ApiError): ApiError {
  if (error instanceof ApiError) return error;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new ApiError(413, 'request_too_large', 'Request exceeds the maximum size', { cause: error });
  }
  return new ApiError(500, 'api_error', `model-sim failed: ${error.message}`, { cause: error });
}

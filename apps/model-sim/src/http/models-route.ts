/** `GET /v1/models` and `GET /v1/models/{id}`. */
import type { FastifyInstance } from 'fastify';
import { modelInfo, modelPage } from '../models.js';
import { checkCaller } from './read-request.js';
import { contextOf } from './request-context.js';

/** The models that the simulator knows, page by page and one by one, as the real API lists them. */
export function addModelRoutes(app: FastifyInstance): void {
  app.get<{ Querystring: Record<string, unknown> }>('/v1/models', (request) => {
    checkCaller(request);
    const page = modelPage(request.query);
    contextOf(request).record({ status: 200, outcome: 'completed' });
    return page;
  });
  app.get<{ Params: { id: string } }>('/v1/models/:id', (request) => {
    checkCaller(request);
    const model = modelInfo(request.params.id);
    contextOf(request).record({ status: 200, outcome: 'completed', model: model.id });
    return model;
  });
}

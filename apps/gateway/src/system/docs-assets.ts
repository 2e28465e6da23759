/** Serves the files of swagger-ui from the installed package. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { serveFiles } from '../http/static-files.js';

/** Registers `/docs/assets/…`, open to everyone like the page that needs it. */
export async function serveDocsAssets(fastify: FastifyInstance): Promise<void> {
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true };
    });
    serveFiles(scope, { prefix: '/docs/assets/', folder, only: ['swagger-ui.css', 'swagger-ui-bundle.js'] });
  });
}

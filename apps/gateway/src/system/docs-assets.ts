/** Serves the files of swagger-ui from the installed package. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** What the page loads; the package holds a dozen more. */
const FILES = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js']);

/** Registers `/docs/assets/…`, open to everyone like the page that needs it. */
export async function serveDocsAssets(fastify: FastifyInstance): Promise<void> {
  const root = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, public: true };
    });
    await scope.register(fastifyStatic, {
      root,
      prefix: '/docs/assets/',
      decorateReply: false,
      index: false,
      maxAge: '1h',
      allowedPath: (path) => FILES.has(path),
    });
  });
}

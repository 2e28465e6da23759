/**
 * The dashboard: files that the build of `apps/dashboard` left. Its router lives in the browser, so each address of a screen is answered
 * with the same page, and the page is asked for anew each time; the files that it names have their hash in the name and stay as they are.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { html, page } from '../http/html.js';
import { sendFile } from '../http/static-files.js';

/** Where the build leaves it, seen from sources and compiled code alike. */
const FOLDER = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url));

/** Addresses of screens. All else stays unknown, so that a mistyped path of the API does not get a page. */
const SCREENS = ['inbox', 'tasks', 'tasks/*', 'new', 'queues', 'failures', 'usage', 'modes', 'settings'];

/** Registers the screens and the files. Like everything they take a session; without one, screens lead to the login page. */
export async function serveDashboard(fastify: FastifyInstance, folder: string = FOLDER): Promise<void> {
  await fastify.register(async (scope) => {
    scope.addHook('onRoute', (route) => {
      route.config = { ...route.config, page: true };
    });
    for (const screen of ['', ...SCREENS])
      scope.get(`/${screen}`, (_request, reply) =>
        reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(indexOf(folder)),
      );
  });
  fastify.get<{ Params: { file: string } }>('/assets/:file', (request, reply) => {
    const { file } = request.params;
    // Only what is right in the folder: a name, never a path.
    if (!/^[\w-][\w.-]*$/.test(file) || !existsSync(join(folder, 'assets', file)))
      return reply.callNotFound();
    return sendFile(reply, join(folder, 'assets', file), 'private, max-age=31536000, immutable');
  });
}

/** Read each time: a build may replace it while the gateway runs. */
function indexOf(folder: string): string {
  const index = join(folder, 'index.html');
  if (existsSync(index)) return readFileSync(index, 'utf8');
  return page(
    'Bullpen',
    html`<p>The dashboard is not built. Run <code>npm run build</code>, then start again.</p>`,
  );
}

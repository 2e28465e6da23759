/** Headers that keep browsers on a short lead. There is no CORS: no other origin has business here. */
import type { FastifyInstance } from 'fastify';

const COMMON = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const STRICT_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The two borrowed pages write styles into their elements, and one sets a base; scripts stay ours alone. */
const BORROWED_PAGE_CSP = STRICT_CSP.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
  "base-uri 'none'",
  "base-uri 'self'",
);

const BORROWED_PAGES = ['/docs', '/admin/queues'];

/** Sets the headers on every answer, errors included. */
export function addSecurityHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const borrowed = BORROWED_PAGES.some(
      (page) => request.url === page || request.url.startsWith(`${page}/`),
    );
    void reply.headers({ ...COMMON, 'content-security-policy': borrowed ? BORROWED_PAGE_CSP : STRICT_CSP });
    // What an API answers is nobody's to keep; pages with files of their own say otherwise.
    if (request.url.startsWith('/v1/')) void reply.header('cache-control', 'no-store');
    done();
  });
}

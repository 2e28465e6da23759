/** The part of a request that is checked before its content: credentials, version, JSON. */
import type { FastifyRequest } from 'fastify';
import { ApiError, invalidRequest } from '../api-error.js';
import { sha256 } from '../canonical-json.js';
import { contextOf } from './request-context.js';

/** The parsed JSON body. Throws `ApiError`: 401 without credentials, 400 without version or for a body that is no JSON. */
export function readApiBody(request: FastifyRequest): unknown {
  const { draft } = contextOf(request);
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  draft.bodySha256 = sha256(body);
  checkCaller(request);
  return parseJson(body);
}

/** Throws `ApiError`: 401 without credentials, 400 without version. */
export function checkCaller(request: FastifyRequest): void {
  checkCredentials(request);
  if (request.headers['anthropic-version'] === undefined)
    throw invalidRequest('anthropic-version: header is required');
}

/** The JSON body of the simulator's own routes; undefined when there is none. Throws `ApiError` (400). */
export function readControlBody(request: FastifyRequest): unknown {
  return Buffer.isBuffer(request.body) && request.body.length > 0 ? parseJson(request.body) : undefined;
}

/** Any key will do: there is nothing to protect, but a client that forgets its key must notice. */
function checkCredentials({ headers }: FastifyRequest): void {
  const bearer = /^Bearer \S/i.test(headers.authorization ?? '');
  if (bearer || (headers['x-api-key'] ?? '') !== '') return;
  throw new ApiError(401, 'authentication_error', 'x-api-key header is required');
}

/** The JSON of a body. Throws `ApiError` (400) also for an escape of half a character, which `JSON.parse` would take. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'), (key, value: unknown) => {
      for (const text of [key, value])
        if (typeof text === 'string' && !text.isWellFormed())
          throw new SyntaxError('no low surrogate in string');
      return value;
    });
  } catch (cause) {
    throw invalidRequest(`The request body is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Request bodies: JSON in UTF-8, and nothing else. */
import { AppError, inexactNumber } from '@bullpen/contracts';
import type { FastifyInstance } from 'fastify';
import { findJsonError, lineAndColumn } from './json-position.js';
import { invalidRequest } from './problem.js';
import { findTextFault } from './text-check.js';

/** Makes JSON the one media type that routes take; Fastify answers others with 415, larger bodies with 413. */
export function acceptJsonOnly(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, storable(parseJsonBody(body)));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Before anything else looks at it: whatever walks, hashes or stores a body relies on it. Throws `invalid_request`. */
function storable(value: unknown): unknown {
  const fault = findTextFault(value);
  if (fault !== null) throw invalidRequest([fault], 'The body');
  return value;
}

/** The value of a body; undefined for an empty one. Throws `invalid_json` with the place of the fault. */
function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  const text = decodeUtf8(body);
  try {
    return exactly(text, JSON.parse(text));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const fault = findJsonError(text);
    if (fault === null) throw invalidJson('it cannot be parsed', cause);
    const { line, column } = lineAndColumn(text, fault.index);
    throw invalidJson(`${fault.reason} at line ${line}, column ${column} (position ${fault.index})`, cause);
  }
}

/**
 * The value, unless a number in it would come out as another one: nobody must run with an order number that was never given. Throws
 * `invalid_json` with its place.
 */
function exactly(text: string, value: unknown): unknown {
  const number = inexactNumber(text);
  if (number === null) return value;
  const { digits, index } = number;
  const { line, column } = lineAndColumn(text, index);
  const shown = digits.length > 40 ? `${digits.slice(0, 40)}…` : digits;
  throw invalidJson(
    `the number ${shown} at line ${line}, column ${column} cannot be kept exactly; write it as a string, "${shown}"`,
    null,
  );
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch (cause) {
    throw invalidJson('it is not UTF-8', cause);
  }
}

function invalidJson(reason: string, cause: unknown): AppError {
  return new AppError('invalid_json', `The body is not JSON: ${reason}.`, {
    cause,
    details: { errors: [{ pointer: '', detail: reason }] },
  });
}

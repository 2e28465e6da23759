/** What the API reference says about a route, next to the route: summary, answer, and the problems that are its own. */
import type { ErrorCode } from '@bullpen/contracts';
import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiResponse } from '@nestjs/swagger';
import type { z } from 'zod';
import { statusOf } from './problem.js';
import { PROBLEM_TYPE } from './problem.filter.js';

export interface ApiRouteOptions {
  readonly summary: string;
  readonly description?: string;
  /** @defaultValue 200 */
  readonly status?: number;
  /** Schema of the answer; absent: an answer that is no JSON, described by `content`. */
  readonly answer?: z.ZodType;
  /** Media type of an answer that is no JSON. */
  readonly content?: string;
  /** Codes beyond those that every route may answer. */
  readonly problems?: readonly ErrorCode[];
  /** True for routes that take an Idempotency-Key. */
  readonly idempotent?: boolean;
}

const EVERYWHERE: readonly ErrorCode[] = [
  'invalid_request',
  'forbidden',
  'internal_error',
  'database_unreachable',
];
const IDEMPOTENT: readonly ErrorCode[] = ['idempotency_key_reused', 'idempotency_in_flight'];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];

/** Documents a route and sets its status. */
export function ApiRoute(options: ApiRouteOptions): MethodDecorator {
  const { status = 200, summary, description, answer, content } = options;
  const idempotent = options.idempotent ? [...IDEMPOTENT, ...WITH_BODY] : [];
  const problems = problemsByStatus([...EVERYWHERE, ...idempotent, ...(options.problems ?? [])]);
  return applyDecorators(
    HttpCode(status),
    ApiOperation({ summary, ...(description !== undefined && { description }) }),
    ApiResponse({
      status,
      description: summary,
      ...(answer && { standardSchema: answer }),
      ...(content !== undefined && { content: { [content]: { schema: { type: 'string' } } } }),
    } as Parameters<typeof ApiResponse>[0]),
    ...(options.idempotent ? [ApiHeader(IDEMPOTENCY_HEADER)] : []),
    ...problems.map(([code, codes]) =>
      ApiResponse({ status: code, ...problemAnswer(codes) } as Parameters<typeof ApiResponse>[0]),
    ),
  );
}

/** How an answer with one of these problems is described. */
export function problemAnswer(codes: readonly ErrorCode[]): {
  description: string;
  content: Record<string, { schema: { $ref: string } }>;
} {
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    content: { [PROBLEM_TYPE]: { schema: { $ref: PROBLEM_COMPONENT } } },
  };
}

/** The passing name of the component; see the schema catalogue. */
const PROBLEM_COMPONENT = '#/components/schemas/Problem.output';

const IDEMPOTENCY_HEADER = {
  name: 'Idempotency-Key',
  required: false,
  description:
    'Any text of 1 to 200 visible ASCII characters. The same key with the same body gives the same answer for 24 hours.',
  schema: { type: 'string', maxLength: 200 },
};

function problemsByStatus(codes: readonly ErrorCode[]): [number, ErrorCode[]][] {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(codes)) {
    const status = statusOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].sort(([a], [b]) => a - b);
}

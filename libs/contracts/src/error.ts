/** Stable error codes and the problem document (RFC 9457) that carries them. */
import { z } from 'zod';
import { ToldAction, type NextAction } from './next-action.js';

export const ErrorCode = z.enum([
  'invalid_request',
  'invalid_json',
  'unknown_agent',
  'unknown_tool',
  'invalid_input',
  'invalid_workspace',
  'body_too_large',
  'unauthorized',
  'forbidden',
  'not_found',
  'already_exists',
  'revision_conflict',
  'method_not_allowed',
  'unsupported_media_type',
  'task_finished',
  'task_busy',
  'message_delivered',
  'message_withdrawn',
  'not_rewindable',
  'not_retryable',
  'not_forkable',
  'transition_refused',
  'interaction_closed',
  'interaction_changed',
  'invalid_answer',
  'process_ended',
  'output_elsewhere',
  'output_gone',
  'checkpoint_unavailable',
  'webhook_disabled',
  'idempotency_key_reused',
  'idempotency_in_flight',
  'too_many_streams',
  'not_ready',
  'row_unreadable',
  'internal_error',
  // Internal codes (never an HTTP status).
  'lease_lost',
  'model_failed',
  'tool_failed',
  'history_corrupt',
  'media_lost',
  'workspace_lost',
  'workspace_failed',
  'config_invalid',
  'port_in_use',
  'already_running',
  'database_unreachable',
  'queue_unreachable',
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional(),
    code: ErrorCode,
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
    traceId: z.string(),
    nextActions: z.array(ToldAction).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.infer<typeof Problem>;

/**
 * The one class of thrown errors. `code` is the API, the text may change; `retryable` says whether the same call may
 * succeed later without a change.
 */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** What can be done about it; empty: what always can for this code. */
  readonly nextActions: readonly NextAction[];

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retryable?: boolean;
      details?: Record<string, unknown>;
      nextActions?: readonly NextAction[];
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
    this.nextActions = options.nextActions ?? [];
  }
}

/** The text of a thrown value, for people and models. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For the default branch of a switch over a union: a case that the compiler proves impossible. */
export function assertNever(value: never): never {
  throw new AppError('internal_error', `Unexpected case: ${JSON.stringify(value)}`);
}

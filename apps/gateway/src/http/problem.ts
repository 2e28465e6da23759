/** Every error as a problem document (RFC 9457): the one place that knows which status and advice belong to a code. */
import { AppError, type ErrorCode, type Problem } from '@bullpen/contracts';
import { isUnreachable } from '@bullpen/store';
import { HttpException } from '@nestjs/common';
import { z } from 'zod';
import type { FieldError } from './text-check.js';

interface CodeInfo {
  readonly status: number;
  readonly title: string;
  readonly nextActions?: readonly string[];
}

const NEW_KEY = 'Use another Idempotency-Key for a different request.';
const internal: CodeInfo = {
  status: 500,
  title: 'Something went wrong inside Bullpen',
  nextActions: ['Try again.', 'If it keeps happening, look for the traceId in the log of the gateway.'],
};

/** Exhaustive: a new code without a status does not compile. */
const CODES: Readonly<Record<ErrorCode, CodeInfo>> = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    nextActions: ['See /docs for what this route takes.'],
  },
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    nextActions: ['Fix the body at that place.'],
  },
  unknown_agent: {
    status: 422,
    title: 'There is no such agent',
    nextActions: ['GET /v1/agents lists the agents.'],
  },
  unknown_tool: {
    status: 422,
    title: 'There is no such tool',
    nextActions: ['GET /v1/agents lists agents and their tools.'],
  },
  invalid_input: {
    status: 422,
    title: "The input does not fit the agent's schema",
    nextActions: ['GET /v1/agents shows the input schemas.'],
  },
  invalid_workspace: { status: 422, title: 'The workspace cannot be used' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unauthorized: { status: 401, title: 'A valid key is needed' },
  forbidden: { status: 403, title: 'This is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  already_exists: { status: 409, title: 'It already exists' },
  revision_conflict: {
    status: 409,
    title: 'It has changed since it was read',
    nextActions: ['Read it again, and send the change with its current revision.'],
  },
  method_not_allowed: { status: 405, title: 'This method is not allowed here' },
  unsupported_media_type: {
    status: 415,
    title: 'The type of the body is not accepted',
    nextActions: ['Send JSON with the header Content-Type: application/json.'],
  },
  interaction_closed: {
    status: 409,
    title: 'It was answered, or no longer needs an answer',
    nextActions: ['GET /v1/interactions/{id} shows the answer that counts.'],
  },
  interaction_changed: {
    status: 409,
    title: 'It now asks for something else',
    nextActions: ['GET /v1/interactions/{id} shows what is asked.'],
  },
  invalid_answer: {
    status: 422,
    title: 'The answer does not fit what is asked',
    nextActions: ['GET /v1/interactions/{id} shows kind and options.'],
  },
  task_finished: { status: 409, title: 'The task has ended', nextActions: ['Create a new task to go on.'] },
  task_busy: {
    status: 409,
    title: 'The task is busy',
    nextActions: [
      'Wait until it is waiting for a message, or stop it: POST /v1/tasks/{id}/interrupt or /pause with {"now": true}.',
    ],
  },
  message_delivered: {
    status: 409,
    title: 'The agent has read this message',
    nextActions: ['Send another one: POST /v1/tasks/{id}/messages.'],
  },
  message_withdrawn: {
    status: 409,
    title: 'The message was withdrawn',
    nextActions: ['Send another one: POST /v1/tasks/{id}/messages.'],
  },
  not_rewindable: {
    status: 409,
    title: 'The conversation cannot be rewound like this',
    nextActions: ['GET /v1/tasks/{id}/history/api shows its messages.'],
  },
  not_retryable: {
    status: 409,
    title: 'The task cannot be retried like this',
    nextActions: ['Look at its state; if a limit ended it, set a higher one.'],
  },
  process_ended: {
    status: 409,
    title: 'The process has ended',
    nextActions: ['GET /v1/processes/{id} says how.'],
  },
  output_elsewhere: {
    status: 409,
    title: 'The output is on another machine',
    nextActions: [
      'Look into the folder `outputs` of the home folder there, or give both machines the same one.',
    ],
  },
  output_gone: { status: 410, title: 'The output is not there any more' },
  webhook_disabled: {
    status: 409,
    title: 'The webhook is disabled',
    nextActions: ['Enable it: PATCH /v1/webhooks/{id} with {"enabled": true}.'],
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    nextActions: [NEW_KEY],
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The first request with this Idempotency-Key is not finished',
    nextActions: ['Send the same request again in a second.'],
  },
  too_many_streams: {
    status: 429,
    title: 'Too many streams are open',
    nextActions: ['Close a stream, or raise the setting MAX_STREAMS.'],
  },
  not_ready: {
    status: 503,
    title: 'Bullpen is not ready',
    nextActions: ['GET /readyz says what is missing.'],
  },
  database_unreachable: {
    status: 503,
    title: 'The database cannot be reached',
    nextActions: ['Try again in a moment.', 'GET /readyz says what is missing.'],
  },
  queue_unreachable: {
    status: 503,
    title: 'The queue cannot be reached',
    nextActions: ['Try again in a moment.', 'GET /readyz says what is missing.'],
  },
  internal_error: internal,
  lease_lost: internal,
  model_failed: internal,
  tool_failed: internal,
  history_corrupt: internal,
  workspace_lost: internal,
  workspace_failed: internal,
  config_invalid: internal,
  port_in_use: internal,
  already_running: internal,
};

/** The HTTP status of a code. */
export function statusOf(code: ErrorCode): number {
  return CODES[code].status;
}

/** Facts of the request that a problem names. */
export interface ProblemContext {
  readonly traceId: string;
  readonly path: string;
  readonly bodyLimit: number;
}

const Details = z.object({
  errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  nextActions: z.array(z.string()).optional(),
});

/** The problem document of anything thrown. A fault of ours says nothing about its inside. */
export function problemOf(error: unknown, context: ProblemContext): Problem {
  const known = toAppError(error, context);
  const { status, title, nextActions } = CODES[known.code];
  const hidden = status === 500;
  const details = Details.safeParse(known.details).data;
  const advice = (hidden ? undefined : details?.nextActions) ?? nextActions;
  return {
    type: `urn:bullpen:problem:${hidden ? 'internal_error' : known.code}`,
    title,
    status,
    detail: hidden
      ? 'The request could not be handled; the cause is in the log under the traceId.'
      : known.message,
    instance: context.path.slice(0, 500),
    code: hidden ? 'internal_error' : known.code,
    ...(!hidden && details?.errors && { errors: details.errors }),
    traceId: context.traceId,
    ...(advice && { nextActions: [...advice] }),
  };
}

/** The error for a request whose fields are wrong. */
export function invalidRequest(errors: readonly FieldError[], what: string): AppError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const where = first?.pointer ? `${first.pointer}: ` : '';
  return new AppError('invalid_request', `${what} is not valid. ${where}${first?.detail ?? ''}${more}`, {
    details: { errors },
  });
}

/** The error for an id that is nobody's, or somebody else's: the two must look the same. */
export function notFound(what: Kind, id: string): AppError {
  return new AppError('not_found', `There is no ${what} ${JSON.stringify(id.slice(0, 100))}.`, {
    details: { nextActions: [`Check the id; ${WHERE_LISTED[what]}.`] },
  });
}

/** Where the ids of a kind are to be found. */
const WHERE_LISTED = {
  task: 'GET /v1/tasks lists the tasks that your key can see',
  message: 'GET /v1/tasks/{id}/messages lists those that the agent has not read',
  'tool call': 'GET /v1/tasks/{id}/history/api shows the calls of a task',
  'output of a tool call': 'GET /v1/tasks/{id}/history/api shows the calls of a task',
  interaction: 'GET /v1/interactions lists what waits for a person',
  process: 'GET /v1/tasks/{id}/processes lists those of a task',
  webhook: 'GET /v1/webhooks lists the webhooks',
  delivery: 'GET /v1/webhooks/{id}/deliveries lists those of a webhook',
  'provider key': 'GET /v1/providers lists the provider keys',
  policy: 'GET /v1/policies lists the layers that exist',
  tenant: 'GET /v1/tenants lists the tenants',
} as const;
export type Kind = keyof typeof WHERE_LISTED;

function toAppError(error: unknown, context: ProblemContext): AppError {
  if (error instanceof AppError) return error;
  if (isUnreachable(error))
    return new AppError(
      'database_unreachable',
      'The database does not answer. Only confirmed changes were made.',
      {
        cause: error,
      },
    );
  const cause = error instanceof HttpException ? (error.cause ?? error) : error;
  return fromFastify(cause, context) ?? new AppError('internal_error', 'internal', { cause: error });
}

/** Errors of Fastify itself: bodies, media types, broken URLs. */
function fromFastify(error: unknown, { bodyLimit }: ProblemContext): AppError | null {
  if (!(error instanceof Error)) return null;
  const { code } = error as { code?: unknown };
  const status =
    error instanceof HttpException ? error.getStatus() : (error as { statusCode?: unknown }).statusCode;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || status === 413)
    return new AppError(
      'body_too_large',
      `The body may have at most ${bodyLimit} bytes (setting BODY_LIMIT_BYTES).`,
      {
        details: {
          nextActions: ['Send less, or raise the setting BODY_LIMIT_BYTES and restart the gateway.'],
        },
      },
    );
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || status === 415)
    return new AppError(
      'unsupported_media_type',
      'Bodies must be JSON with the header Content-Type: application/json.',
    );
  // No id is that long, so there is nothing under it.
  if (code === 'FST_ERR_BAD_URL')
    return invalidRequest([{ pointer: '/path', detail: 'is not valid percent-encoded UTF-8' }], 'The path');
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return new AppError('not_found', 'Nothing has a name that long.');
  if (typeof status !== 'number' || status < 400 || status >= 500) return null;
  const detail = `${error.message}.`.replace(/\.\.$/, '.');
  if (status === 404) return new AppError('not_found', detail);
  return new AppError('invalid_request', detail, { details: { errors: [{ pointer: '', detail }] } });
}

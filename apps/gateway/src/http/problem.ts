/** Every error as a problem document (RFC 9457): the one place that knows which status and advice belong to a code. */
import { AppError, type ErrorCode, type NextAction, type Problem } from '@bullpen/contracts';
import { isUnreachable } from '@bullpen/store';
import { HttpException } from '@nestjs/common';
import { z } from 'zod';
import { toldActions } from './next-actions.js';
import type { FieldError } from './text-check.js';

interface CodeInfo {
  readonly status: number;
  readonly title: string;
  /** What can be done whatever it was about. */
  readonly nextActions?: readonly NextAction[];
}

const internal: CodeInfo = { status: 500, title: 'Something went wrong inside Bullpen' };

/** Exhaustive: a new code without a status does not compile. */
const CODES: Readonly<Record<ErrorCode, CodeInfo>> = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    nextActions: [{ action: 'reference.read' }],
  },
  invalid_json: {
    status: 400,
    title: 'The body is not JSON',
    nextActions: [{ action: 'reference.read' }],
  },
  unknown_agent: {
    status: 422,
    title: 'There is no such agent',
    nextActions: [{ action: 'agent.list' }],
  },
  unknown_tool: {
    status: 422,
    title: 'There is no such tool',
    nextActions: [{ action: 'agent.list' }],
  },
  invalid_input: {
    status: 422,
    title: "The input does not fit the agent's schema",
    nextActions: [{ action: 'agent.list' }],
  },
  invalid_workspace: {
    status: 422,
    title: 'The workspace cannot be used',
    nextActions: [{ action: 'workspace.choose' }],
  },
  body_too_large: {
    status: 413,
    title: 'The body is too large',
    nextActions: [{ action: 'setting.change', setting: 'BODY_LIMIT_BYTES' }],
  },
  unauthorized: {
    status: 401,
    title: 'A valid key is needed',
    nextActions: [{ action: 'key.use' }, { action: 'key.find' }],
  },
  forbidden: { status: 403, title: 'This is not allowed' },
  not_found: { status: 404, title: 'Not found' },
  already_exists: { status: 409, title: 'It already exists' },
  revision_conflict: {
    status: 409,
    title: 'It has changed since it was read',
    nextActions: [{ action: 'policy.list' }],
  },
  transition_refused: { status: 409, title: 'The trigger leads nowhere from here' },
  method_not_allowed: {
    status: 405,
    title: 'This method is not allowed here',
    nextActions: [{ action: 'reference.read' }],
  },
  unsupported_media_type: {
    status: 415,
    title: 'The type of the body is not accepted',
    nextActions: [{ action: 'reference.read' }],
  },
  interaction_closed: {
    status: 409,
    title: 'It was answered, or no longer needs an answer',
  },
  interaction_changed: {
    status: 409,
    title: 'It now asks for something else',
  },
  invalid_answer: {
    status: 422,
    title: 'The answer does not fit what is asked',
  },
  task_finished: {
    status: 409,
    title: 'The task has ended',
    nextActions: [{ action: 'task.create' }],
  },
  task_busy: {
    status: 409,
    title: 'The task is busy',
  },
  message_delivered: {
    status: 409,
    title: 'The agent has read this message',
  },
  message_withdrawn: {
    status: 409,
    title: 'The message was withdrawn',
  },
  not_rewindable: {
    status: 409,
    title: 'The conversation cannot be rewound like this',
  },
  not_retryable: {
    status: 409,
    title: 'The task cannot be retried like this',
  },
  not_forkable: {
    status: 409,
    title: 'The task cannot be forked',
  },
  process_ended: {
    status: 409,
    title: 'The process has ended',
  },
  output_elsewhere: {
    status: 409,
    title: 'The output is on another machine',
  },
  output_gone: { status: 410, title: 'The output is not there any more' },
  webhook_disabled: {
    status: 409,
    title: 'The webhook is disabled',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used for another request',
    nextActions: [{ action: 'request.new_key' }],
  },
  idempotency_in_flight: {
    status: 409,
    title: 'The first request with this Idempotency-Key is not finished',
    nextActions: [{ action: 'request.repeat' }],
  },
  too_many_streams: {
    status: 429,
    title: 'Too many streams are open',
    nextActions: [{ action: 'stream.close' }, { action: 'setting.change', setting: 'MAX_STREAMS' }],
  },
  not_ready: {
    status: 503,
    title: 'Bullpen is not ready',
    nextActions: [{ action: 'system.check' }],
  },
  database_unreachable: {
    status: 503,
    title: 'The database cannot be reached',
    nextActions: [{ action: 'request.repeat' }, { action: 'system.check' }],
  },
  queue_unreachable: {
    status: 503,
    title: 'The queue cannot be reached',
    nextActions: [{ action: 'request.repeat' }, { action: 'system.check' }],
  },
  checkpoint_unavailable: {
    status: 409,
    title: 'What was stored of the files cannot be had',
    nextActions: [{ action: 'system.check' }],
  },
  row_unreadable: {
    status: 500,
    title: 'A stored row cannot be read',
    nextActions: [{ action: 'system.check' }],
  },
  internal_error: internal,
  lease_lost: internal,
  model_failed: internal,
  tool_failed: internal,
  history_corrupt: internal,
  media_lost: internal,
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
});

/** The problem document of anything thrown. A fault of ours says nothing about its inside. */
export function problemOf(error: unknown, context: ProblemContext): Problem {
  const known = toAppError(error, context);
  const info = CODES[known.code];
  const { status, title } = info;
  const hidden = info === internal;
  const details = Details.safeParse(known.details).data;
  const nextActions = toldActions(hidden ? afterFault(context) : adviceOf(known));
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
    ...(nextActions.length > 0 && { nextActions }),
  };
}

function adviceOf({ code, nextActions }: AppError): readonly NextAction[] {
  return nextActions.length > 0 ? nextActions : (CODES[code].nextActions ?? []);
}

function afterFault({ traceId }: ProblemContext): readonly NextAction[] {
  return [{ action: 'request.repeat' }, { action: 'log.search', traceId }];
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

/** The error for an id that is nobody's, or somebody else's: the two must look the same. `taskId` is the task that it was looked for in. */
export function notFound(what: Kind, id: string, taskId?: string): AppError {
  return new AppError('not_found', `There is no ${what} ${JSON.stringify(id.slice(0, 100))}.`, {
    nextActions: [WHERE_LISTED[what](taskId)],
  });
}

/** Where the ids of a kind are to be found. */
const WHERE_LISTED = {
  task: () => ({ action: 'task.list' }),
  message: (taskId) => ({ action: 'message.list', taskId }),
  'tool call': (taskId) => ({ action: 'task.history', taskId }),
  'model call': (taskId) => ({ action: 'task.history', taskId }),
  'body of a model call': (taskId) => ({ action: 'task.history', taskId }),
  'output of a tool call': (taskId) => ({ action: 'task.history', taskId }),
  interaction: () => ({ action: 'interaction.list' }),
  checkpoint: (taskId) => ({ action: 'checkpoint.list', taskId }),
  restore: () => ({ action: 'task.list' }),
  process: () => ({ action: 'process.list' }),
  webhook: () => ({ action: 'webhook.list' }),
  delivery: () => ({ action: 'delivery.list' }),
  'provider key': () => ({ action: 'provider.list' }),
  policy: () => ({ action: 'policy.list' }),
  tenant: () => ({ action: 'tenant.list' }),
  key: () => ({ action: 'api_key.list' }),
  'bulk action': () => ({ action: 'bulk_action.list' }),
  share: (taskId) => ({ action: 'share.list', taskId }),
  'saved view': () => ({ action: 'view.list' }),
  attachment: () => ({ action: 'task.list' }),
  queue: () => ({ action: 'queue.list' }),
  worker: () => ({ action: 'worker.list' }),
} as const satisfies Readonly<Record<string, (taskId?: string) => NextAction>>;
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

/** What the exit code of every command means. Scripts rely on these numbers: they are part of the interface. */
import type { ErrorCode, StopCause, TaskState } from '@bullpen/contracts';

export const EXIT = {
  ok: 0,
  error: 1,
  usage: 2,
  taskFailed: 3,
  needsInput: 4,
  notFound: 5,
  notAllowed: 6,
  conflict: 7,
  limitReached: 8,
  unreachable: 9,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const BY_ERROR_CODE: Partial<Record<ErrorCode, ExitCode>> = {
  invalid_request: EXIT.usage,
  invalid_json: EXIT.usage,
  unknown_agent: EXIT.usage,
  unknown_tool: EXIT.usage,
  invalid_input: EXIT.usage,
  invalid_workspace: EXIT.usage,
  body_too_large: EXIT.usage,
  invalid_answer: EXIT.usage,
  interaction_closed: EXIT.conflict,
  interaction_changed: EXIT.conflict,
  unauthorized: EXIT.notAllowed,
  forbidden: EXIT.notAllowed,
  not_found: EXIT.notFound,
  already_exists: EXIT.conflict,
  revision_conflict: EXIT.conflict,
  task_finished: EXIT.conflict,
  idempotency_key_reused: EXIT.conflict,
  webhook_disabled: EXIT.conflict,
  idempotency_in_flight: EXIT.conflict,
  too_many_streams: EXIT.limitReached,
  not_ready: EXIT.unreachable,
  database_unreachable: EXIT.unreachable,
  queue_unreachable: EXIT.unreachable,
};

/** The exit code for an error with a stable code; 1 for everything that has no number of its own. */
export function exitCodeOfError(code: ErrorCode): ExitCode {
  return BY_ERROR_CODE[code] ?? EXIT.error;
}

const LIMITS: readonly StopCause[] = ['turn_limit', 'time_limit', 'token_limit', 'cost_limit', 'deadline'];

/** The exit code for what became of a task that was waited for: 0 only when it reached its goal. */
export function exitCodeOfOutcome(state: TaskState, cause: StopCause | null): ExitCode {
  if (state === 'completed' && cause !== null && LIMITS.includes(cause)) return EXIT.limitReached;
  if (state === 'completed') return EXIT.ok;
  if (cause !== null && LIMITS.includes(cause)) return EXIT.limitReached;
  if (state === 'waiting' || state === 'paused') return EXIT.needsInput;
  return EXIT.taskFailed;
}

/** Shown at the end of `bullpen --help`. */
export const EXIT_CODE_HELP = `Exit codes:
  0 ok  1 error  2 usage  3 task failed  4 needs input  5 not found
  6 not allowed  7 conflict  8 limit reached  9 unreachable  130 interrupted`;

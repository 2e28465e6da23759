/** Errors as a person at a terminal reads them: what went wrong, where, and what to do next. */
import { ApiError, UnexpectedAnswer, Unreachable } from '@bullpen/client';
import { AppError, errorText, systemProblem, type Problem } from '@bullpen/contracts';
import { EXIT, exitCodeOfError, type ExitCode } from './exit-codes.js';
import type { Colors } from './io.js';
import { actionLine } from './next-actions.js';
import { plainText } from './render/plain-text.js';

/** An error of the command line itself, with its exit code and what to do. */
export class CliError extends Error {
  constructor(
    readonly exitCode: ExitCode,
    message: string,
    readonly nextActions: readonly string[] = [],
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'CliError';
  }
}

/** The user pressed Ctrl-C: no error, but the reason why the command did not reach its end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(
    message = 'Interrupted.',
    readonly nextActions: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The exit code that belongs to whatever was thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof Interrupted) return EXIT.interrupted;
  if (error instanceof ApiError) return exitCodeOfProblem(error.problem);
  if (error instanceof AppError)
    return error.code === 'already_running' ? EXIT.conflict : exitCodeOfError(error.code);
  if (error instanceof Unreachable || error instanceof UnexpectedAnswer) return EXIT.unreachable;
  return EXIT.error;
}

/** The error for people, several lines; never a stack trace. */
export function renderError(error: unknown, colors: Colors): string {
  const mark = error instanceof Interrupted ? '' : `${colors.red('error:')} `;
  const message = messageOf(error);
  const lines = [mark + plainText(message)];
  const fields = error instanceof ApiError ? (error.problem.errors ?? []) : [];
  // A message that has it all already is not said twice.
  for (const { pointer, detail } of fields.filter((field) => !message.includes(field.detail)))
    lines.push(`  ${colors.bold(plainText(pointer) || '(body)')}: ${plainText(detail)}`);
  for (const action of nextActionsOf(error)) lines.push(`${colors.cyan('next:')} ${plainText(action)}`);
  return lines.join('\n');
}

/** The error as one JSON document, for `--json`. */
export function errorDocument(error: unknown): object {
  const code =
    error instanceof ApiError ? error.problem.code : error instanceof AppError ? error.code : 'error';
  const problem = error instanceof ApiError ? error.problem : null;
  return {
    error: {
      code,
      message: messageOf(error),
      exitCode: exitCodeOf(error),
      ...(problem?.errors ? { errors: problem.errors } : {}),
      ...(problem ? { status: problem.status, traceId: problem.traceId } : {}),
      nextActions: nextActionsOf(error),
    },
  };
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.problem.detail || error.problem.title;
  const isOurs = error instanceof CliError || error instanceof AppError || error instanceof Unreachable;
  const system = isOurs ? null : systemProblem(error);
  return system?.message ?? errorText(error);
}

function nextActionsOf(error: unknown): readonly string[] {
  if (error instanceof Interrupted) return error.nextActions;
  if (error instanceof CliError && error.nextActions.length > 0) return error.nextActions;
  if (error instanceof Unreachable)
    return ['start Bullpen: npm start in its folder, or bullpen up', 'or see what is wrong: bullpen doctor'];
  if (error instanceof ApiError) return (error.problem.nextActions ?? []).map(actionLine);
  if (error instanceof AppError && error.nextActions.length > 0) return error.nextActions.map(actionLine);
  const system = systemProblem(error);
  return system === null ? [] : [system.advice];
}

function exitCodeOfProblem({ code, status }: Problem): ExitCode {
  const byCode = exitCodeOfError(code);
  if (byCode !== EXIT.error) return byCode;
  if (status === 401 || status === 403) return EXIT.notAllowed;
  if (status === 404) return EXIT.notFound;
  if (status === 409) return EXIT.conflict;
  if (status === 429) return EXIT.limitReached;
  return status === 502 || status === 503 || status === 504 ? EXIT.unreachable : EXIT.error;
}

/** Why something did not work, for the middle of a sentence, on one line. */
export function reasonOf(error: unknown): string {
  const text = systemProblem(error)?.message ?? errorText(error);
  return text.replaceAll(/\s+/g, ' ');
}

/** The same for a sentence that has said already what it is about. */
export function bareReasonOf(error: unknown): string {
  const system = systemProblem(error);
  return system === null ? reasonOf(error) : `${system.reason} (${system.code})`;
}

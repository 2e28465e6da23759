/** What a call can fail with. */
import { Problem, systemProblem, type ErrorCode } from '@bullpen/contracts';

/** The gateway refused, and said why. Decide on `code`; `problem` has the rest. */
export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ApiError';
    this.problem = problem;
  }

  get code(): ErrorCode {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** No answer came: wrong address, gateway not running, connection lost. */
export class Unreachable extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`No answer from Bullpen at ${url}: ${reasonOf(cause)}. Is the gateway running?`, { cause });
    this.name = 'Unreachable';
    this.url = url;
  }
}

/** An answer came, but not one of this API: something else listens there, or the versions do not fit. */
export class UnexpectedAnswer extends Error {
  readonly url: string;

  constructor(url: string, what: string, cause?: unknown) {
    super(
      `The answer from ${url} is not one of Bullpen's: ${what}.`,
      cause === undefined ? undefined : { cause },
    );
    this.name = 'UnexpectedAnswer';
    this.url = url;
  }
}

/** The error for an answer that is no success. */
export async function errorOf(response: Response, url: string): Promise<ApiError | UnexpectedAnswer> {
  const text = await response.text();
  const problem = Problem.safeParse(parseJson(text));
  if (problem.success) return new ApiError(problem.data);
  return new UnexpectedAnswer(url, `status ${response.status} without a problem document`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No JSON is no problem document; the caller says so.
    return null;
  }
}

/** `fetch` hides the reason in the cause. Looked at by its form: errors of `fetch` may come from another realm. */
function reasonOf(error: unknown): string {
  const system = systemProblem(error);
  if (system !== null) return `${system.reason} (${system.code})`;
  const { message, cause } = (error ?? {}) as {
    message?: unknown;
    cause?: { code?: unknown; message?: unknown };
  };
  return String(cause?.code ?? cause?.message ?? message ?? error);
}

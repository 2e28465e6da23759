/** How a command line that failed ends: its error, for people or as JSON, and its exit code. */
import type { GlobalOptions } from './config.js';
import type { Context } from './context.js';
import { findEndpoint } from './endpoint.js';
import { errorDocument, exitCodeOf, renderError } from './errors.js';
import type { ExitCode } from './exit-codes.js';
import { tellKey } from './refused-key.js';

/** Tells people, or programs (`--json`), what went wrong and what to do, and gives the exit code for it. */
export function reportError(error: unknown, context: Context, options: GlobalOptions): ExitCode {
  const { io, env, cwd } = context;
  const told = tellKey(error, () => findEndpoint(options, env, cwd));
  if (options.json === true) io.out(JSON.stringify(errorDocument(told), null, 2));
  else io.err(renderError(told, io.errColors));
  return exitCodeOf(told);
}

/** ripgrep as a child process: where its binary is, and a reader of the messages that it writes with `--json`. */
import { access, constants } from 'node:fs/promises';
import { execa } from 'execa';
import { AppError } from '@bullpen/contracts';
import type { CommandUser } from './sandbox/command-user.js';

/** Text in ripgrep's messages: base64 when it is not valid UTF-8. */
export type RipgrepText = { readonly text: string } | { readonly bytes: string };

/** The messages of ripgrep 15 that are used here; `start` and `end` count bytes of the line. */
export type RipgrepMessage =
  | { readonly type: 'begin'; readonly data: { readonly path: RipgrepText } }
  | { readonly type: 'match' | 'context'; readonly data: RipgrepLine }
  | {
      readonly type: 'end';
      readonly data: { readonly path: RipgrepText; readonly binary_offset: number | null };
    }
  | { readonly type: 'summary' };

export interface RipgrepLine {
  readonly path: RipgrepText;
  readonly lines: RipgrepText;
  readonly line_number: number;
  readonly submatches: readonly { readonly start: number; readonly end: number }[];
}

export interface RipgrepRun {
  readonly cwd: string;
  readonly args: readonly string[];
  /** Runs as this user when this process is root. */
  readonly user?: CommandUser | null;
  /** Open files that it inherits, under the names that `inheritedName` gives. */
  readonly inherited?: readonly number[];
}

/** The name of an inherited file, by its place in the list. */
export function inheritedName(at: number): string {
  return `/proc/self/fd/${at + 3}`;
}

/** The worker's own environment stays with the worker. */
const NO_ENV = { extendEnv: false, env: {} } as const;

let found: Promise<string> | undefined;

/** Path of the binary that comes with the npm package; plain `rg`, to be found on PATH, when the package has none. */
function ripgrepPath(): Promise<string> {
  found ??= import('@vscode/ripgrep').then(
    async ({ rgPath }) => {
      await access(rgPath, constants.X_OK);
      return rgPath;
    },
    // The package throws at import where it has no binary for the machine.
    () => 'rg',
  );
  return found;
}

/** Why ripgrep does not take a regular expression, in its own words; null when it does. */
export async function patternProblem(pattern: string, signal: AbortSignal): Promise<string | null> {
  const args = ['--no-config', '--quiet', `--regexp=${pattern}`, '--', '-'];
  const result = await execa(await ripgrepPath(), args, {
    input: '',
    reject: false,
    cancelSignal: signal,
    ...NO_ENV,
  });
  signal.throwIfAborted();
  if (result.exitCode === 0 || result.exitCode === 1) return null;
  if (result.exitCode === undefined) throw notStarted(result);
  return result.stderr.replace(/^rg: /, '').trim();
}

/**
 * Runs ripgrep with `--json` and gives its messages as they come; stops it when the reader stops. What could not be read
 * is counted in the generator's return value. Throws `tool_failed` when ripgrep can't be started, the signal's reason on abort.
 */
export async function* ripgrepMessages(
  run: RipgrepRun,
  signal: AbortSignal,
): AsyncGenerator<RipgrepMessage, number> {
  signal.throwIfAborted();
  const stop = new AbortController();
  const child = execa(await ripgrepPath(), ['--json', '--no-config', ...run.args], {
    cwd: run.cwd,
    // Descriptors are handed on as they are; the types know that for the first three only.
    stdio: ['ignore', 'pipe', 'pipe', ...((run.inherited ?? []) as unknown as readonly 'inherit'[])],
    buffer: { stdout: false, stderr: true },
    reject: false,
    ...NO_ENV,
    cancelSignal: AbortSignal.any([signal, stop.signal]),
    ...(run.user && process.getuid?.() === 0 ? run.user : {}),
  });
  try {
    for await (const line of boundedLines(child.stdout)) yield parseMessage(line);
    const result = await child;
    signal.throwIfAborted();
    if (result.exitCode === undefined) throw notStarted(result);
    return result.stderr.split('\n').filter((line) => line.startsWith('rg: ')).length;
  } finally {
    stop.abort();
    await child;
  }
}

/** One message may be this long: a line of a minified file, and the first of its matches. */
const MAX_MESSAGE_BYTES = 16 * 1_024 * 1_024;

/** Lines of a stream; each is cut at the bound, since a long line with a million matches makes a message of many times its size. */
async function* boundedLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(10); ; end = chunk.indexOf(10, from)) {
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      if (size < MAX_MESSAGE_BYTES) parts.push(part.subarray(0, MAX_MESSAGE_BYTES - size));
      size += part.length;
      if (end < 0) break;
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      size = 0;
      from = end + 1;
    }
  }
}

function parseMessage(line: string): RipgrepMessage {
  if (line.length < MAX_MESSAGE_BYTES / 4 || line.endsWith('}')) {
    try {
      return JSON.parse(line) as RipgrepMessage;
    } catch {
      // Cut at the bound: repaired below.
    }
  }
  return parseCutMessage(line);
}

/** A message that was cut inside its list of matches: the whole ones at its start are enough. */
function parseCutMessage(line: string): RipgrepMessage {
  const lastWhole = line.lastIndexOf('},{"match":');
  try {
    return JSON.parse(`${line.slice(0, lastWhole)}}]}}`) as RipgrepMessage;
  } catch (cause) {
    throw new AppError('tool_failed', 'ripgrep found a match in a line of over 16 MB; leave that file out', {
      cause,
    });
  }
}

function notStarted(result: {
  readonly originalMessage?: string | undefined;
  readonly cause?: unknown;
}): AppError {
  return new AppError(
    'tool_failed',
    `Can't run ripgrep: ${result.originalMessage ?? 'it was ended by a signal'}`,
    { cause: result.cause },
  );
}

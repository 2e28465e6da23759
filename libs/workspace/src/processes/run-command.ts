/** Runs one command in a sandbox to its end: with a time limit, with its output read all the time, with nothing of it left. */
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import { NO_RULES } from '@bullpen/contracts';
import {
  DEFAULT_BOX_LIMITS,
  type BoxEnd,
  type BoxedProcess,
  type BoxSpec,
  type Sandbox,
} from '../sandbox/sandbox.js';
import { OutputBuffer } from './output-buffer.js';

export interface CommandSpec extends Omit<BoxSpec, 'limits' | 'network'> {
  readonly limits?: BoxSpec['limits'];
  readonly network?: BoxSpec['network'];
  readonly timeoutMs: number;
  /** Time between TERM and KILL. @defaultValue 5,000 */
  readonly graceMs?: number;
  /** Characters of output kept: half from its start, half from its end. @defaultValue 1,000,000 */
  readonly maxOutputChars?: number;
  /** Gets the output while it comes, as whole characters. Must not throw. */
  readonly onOutput?: (text: string) => void;
}

export interface CommandResult extends BoxEnd {
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
  /** Standard output and standard error in the order in which they were written. */
  readonly output: string;
  readonly droppedChars: number;
}

/**
 * Runs the command to its end. A failing, timed-out or aborted command is a result; one that never started because of an abort has
 * neither exit code nor signal. Throws `tool_failed` when it can't be started.
 */
export async function runCommand(
  sandbox: Sandbox,
  spec: CommandSpec,
  signal: AbortSignal,
): Promise<CommandResult> {
  const startedAt = performance.now();
  const output = new OutputBuffer(spec.maxOutputChars ?? 1_000_000);
  const ended = await runToEnd(sandbox, spec, output, signal);
  const { text, droppedChars } = output.finish();
  return { ...ended, durationMs: Math.round(performance.now() - startedAt), output: text, droppedChars };
}

type Ended = BoxEnd & Pick<CommandResult, 'timedOut' | 'aborted'>;
const NEVER_STARTED: Ended = {
  ...{ exitCode: null, signal: null, limit: null, takenBack: [] },
  ...{ timedOut: false, aborted: true },
};

async function runToEnd(
  sandbox: Sandbox,
  { timeoutMs, graceMs = 5_000, maxOutputChars: _, onOutput, ...spec }: CommandSpec,
  output: OutputBuffer,
  signal: AbortSignal,
): Promise<Ended> {
  const boxSpec = { limits: DEFAULT_BOX_LIMITS, network: NO_RULES.network, ...spec };
  let running: BoxedProcess;
  try {
    running = await sandbox.start(boxSpec, signal);
  } catch (error) {
    if (signal.aborted) return NEVER_STARTED;
    throw error;
  }
  const drained = drain(running.output, (text) => {
    output.append(text);
    onOutput?.(text);
  });
  const stopped = stopper(running, graceMs, timeoutMs, signal);
  const end = await running.ended;
  await drained;
  const reason = stopped();
  return { ...end, timedOut: reason === 'time', aborted: reason === 'abort' };
}

type StopReason = 'time' | 'abort' | null;

/** Sends TERM at the time limit or the abort, and KILL when the grace is over. Ended by the function that it gives, which says why. */
function stopper(
  running: BoxedProcess,
  graceMs: number,
  timeoutMs: number,
  signal: AbortSignal,
): () => StopReason {
  let reason: StopReason = null;
  let kill: NodeJS.Timeout | undefined;
  const stop = (why: StopReason): void => {
    if (reason !== null) return;
    reason = why;
    running.signal('SIGTERM');
    kill = setTimeout(() => running.signal('SIGKILL'), graceMs);
  };
  const onAbort = (): void => stop('abort');
  const limit = setTimeout(() => stop('time'), timeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return () => {
    clearTimeout(limit);
    clearTimeout(kill);
    signal.removeEventListener('abort', onAbort);
    return reason;
  };
}

/** Hands on the output as whole characters until it ends. */
function drain(output: Readable, onText: (text: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  const pass = (text: string): void => {
    // A NUL can't be stored as text by Postgres; its visible picture can.
    if (text !== '') onText(text.replaceAll('\0', '\u2400'));
  };
  output.on('data', (chunk: Buffer) => pass(decoder.write(chunk)));
  return new Promise<void>((resolve) => {
    output.once('close', () => {
      pass(decoder.end());
      resolve();
    });
  });
}

/** Runs one command to its end and gives its output: for what the installation itself wants to know. Agents' commands are processes. */
import type { Sandbox } from '../sandbox/sandbox.js';
import { MemoryOutput } from './memory-output.js';
import { startCommand, type CommandEnd, type CommandSpec as SpecWithSink } from './running-command.js';

export interface CommandSpec extends Omit<SpecWithSink, 'output'> {
  /** Bytes of output kept: half from its start, half from its end. @defaultValue 1,000,000 */
  readonly maxOutputBytes?: number;
}

export interface CommandResult extends Omit<CommandEnd, 'stopped' | 'outputProblem'> {
  readonly timedOut: boolean;
  readonly aborted: boolean;
  /** Standard output and standard error in the order in which they were written. */
  readonly output: string;
}

/**
 * A failing, timed-out or aborted command is a result; one that never started because of an abort has neither exit code nor signal.
 * Throws `tool_failed` when it can't be started.
 */
export async function runCommand(
  sandbox: Sandbox,
  { maxOutputBytes = 1_000_000, ...spec }: CommandSpec,
  signal: AbortSignal,
): Promise<CommandResult> {
  const output = new MemoryOutput(maxOutputBytes);
  try {
    const command = await startCommand(sandbox, { ...spec, output }, signal);
    const abort = (): void => command.stop('aborted');
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const { stopped, outputProblem: _, ...end } = await command.ended;
    signal.removeEventListener('abort', abort);
    return {
      ...end,
      timedOut: stopped?.kind === 'time',
      aborted: stopped?.kind === 'stop',
      output: output.text(),
    };
  } catch (error) {
    if (signal.aborted) return NEVER_STARTED;
    throw error;
  }
}

const NEVER_STARTED: CommandResult = {
  ...{
    exitCode: null,
    signal: null,
    limit: null,
    takenBack: [],
    refusedHosts: [],
    durationMs: 0,
    outputBytes: 0,
  },
  ...{ timedOut: false, aborted: true, output: '' },
};

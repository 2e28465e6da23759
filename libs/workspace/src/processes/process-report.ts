/** How a process ended, in words and for its row: the real cause, which no exit code hides. */
import type { ProcessEnd } from '@bullpen/core';
import type { CommandEnd } from './running-command.js';

/** How it ended, as its row says it too. */
export interface ProcessReport
  extends ProcessEnd, Pick<CommandEnd, 'takenBack' | 'refusedHosts' | 'outputProblem'> {}

/** Limits of the box that end a single process of a command by a signal of their own. */
const LIMIT_SIGNALS: Readonly<Partial<Record<NodeJS.Signals, string>>> = {
  SIGXFSZ: 'it wrote a file larger than allowed',
  SIGXCPU: 'it used up its CPU time',
};

/** `limitMs` is the time that the command had, for the words about one that took longer. */
export function reportOf(end: CommandEnd, limitMs: number): ProcessReport {
  const { exitCode, signal, outputBytes, takenBack, refusedHosts, outputProblem } = end;
  return { ...stateOf(end, limitMs), exitCode, signal, outputBytes, takenBack, refusedHosts, outputProblem };
}

/** Whether it did what it should: it ended by itself, with code 0. */
export function isSuccess({ state, exitCode }: Pick<ProcessEnd, 'state' | 'exitCode'>): boolean {
  return state === 'exited' && exitCode === 0;
}

function stateOf(end: CommandEnd, limitMs: number): Pick<ProcessEnd, 'state' | 'cause'> {
  if (end.limit === 'memory') return { state: 'killed', cause: 'out of memory' };
  if (end.stopped?.kind === 'time') return { state: 'timed_out', cause: `timed out after ${limitMs} ms` };
  if (end.stopped !== null) return { state: 'killed', cause: end.stopped.cause };
  return { state: 'exited', cause: (end.signal && LIMIT_SIGNALS[end.signal]) ?? null };
}

/** A run of the agent loop: what it works on, and how it ends. */
import type { LoopDeps } from '../ports/loop-deps.js';
import type { RunState } from './run-state.js';
import type { TaskOutcome } from '../task/task.js';
import type { Tool } from '../ports/tool.js';
import type { SetupEnd, Workspace } from '../ports/workspace.js';

/**
 * How a run ended. `stopped`: the lease was lost or the signal fired; the next holder of the task goes on. `fault`: an unexpected
 * error, for the log.
 */
export type RunEnd =
  | { readonly kind: 'finished'; readonly outcome: TaskOutcome; readonly fault?: unknown }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'yielded' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'stopped' };

/** What a run knows of its workspace's changes. */
export interface Changes {
  /** Nothing has been changed in this run yet. */
  untouched: boolean;
  /** Something may have changed since the last checkpoint. */
  pending: boolean;
  /** Why the last state could not be stored; the same reason is told once. */
  failed: string | null;
}

/** What a run knows of the setup of its workspace. */
export interface Setup {
  /** Null: it has none, or has yet to run it. */
  end: SetupEnd | null;
  /** It ended in this run, and the agent has not been told. */
  isNews: boolean;
}

/** A run in progress: what `callModel` and `runCalls` work on. */
export interface Run {
  readonly state: RunState;
  readonly deps: LoopDeps;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly workspace: Workspace;
  readonly changes: Changes;
  readonly setup: Setup;
  readonly activeMs: () => number;
}

/** Nothing more is to start in this run. */
export function isOver({ state, deps }: Run, signal: AbortSignal): boolean {
  return signal.aborted || deps.shouldYield() || state.mustStop();
}

/** `answered`: the answer is recorded. `again`: nothing usable came; the loop looks again (cancel, drain, a new message). */
export type ModelCallEnd =
  | { readonly kind: 'answered' }
  | { readonly kind: 'again' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'ended'; readonly outcome: TaskOutcome };

/** Port: all that a run of the agent loop needs from outside. */
import type { DeltaEvent, DurableEventBody, Json } from '@bullpen/contracts';
import type { CommandSettings, CommandVerdictLike } from './command-judge.js';
import type { CountTokens } from './count-tokens.js';
import type { ProviderGate } from './gate.js';
import type { Masker } from '../masking/masker.js';
import type { MediaStore } from './media-store.js';
import type { Model } from './model.js';
import type { PriceOf } from '../task/prices.js';
import type { PromptLog } from './prompt-log.js';
import type { Surroundings } from './surroundings.js';
import type { TaskStore } from './store.js';
import type { Lease, TaskRecord } from '../task/task.js';
import type { Tool } from './tool.js';
import type { Workspace } from './workspace.js';

/** The issues of a value against a schema; empty when it fits. */
export type ValidateJson = (schema: Record<string, Json>, value: Json) => readonly string[];

/** What a run needs from outside. */
export interface LoopDeps {
  readonly store: TaskStore;
  readonly model: Model;
  /** @defaultValue nobody can be asked: estimates have to do */
  readonly countTokens?: CountTokens;
  /** @defaultValue nothing is kept, whatever a task asks for */
  readonly promptLog?: PromptLog;
  /** The tools that the task's definition lists, by name. */
  readonly tools: (task: TaskRecord) => ReadonlyMap<string, Tool>;
  /** Runs the setup commands of workspaces, whatever tools the task has: takes `command` and `timeoutMs`. */
  readonly setupTool: Tool;
  /**
   * The folder that the task works in, prepared; may take long, and throws when it cannot be prepared. `tell` gets what a person
   * should know about it, until the task has started. `busy`: it is in use elsewhere, and can be had later.
   */
  readonly workspace: (
    task: TaskRecord,
    lease: Lease,
    signal: AbortSignal,
    tell: (event: DurableEventBody) => void,
  ) => Promise<Workspace | 'busy'>;
  /** Without it tasks are told nothing about where they work. */
  readonly surroundings?: Surroundings;
  /** Pictures and documents. @defaultValue there are none, and tools that give some give only what they say about them */
  readonly media?: MediaStore;
  readonly validate: ValidateJson;
  readonly priceOf: PriceOf;
  /** Judges a line for the shell that would start in `cwd`, relative to the workspace. Never throws. */
  readonly judgeCommand: (
    line: string,
    settings: CommandSettings,
    workspacePath: string,
    cwd: string,
  ) => CommandVerdictLike;
  readonly gate: ProviderGate;
  /** Knows the values that must not be seen: not by the model in what tools give it, not in anything that people look at. */
  readonly masker: Masker;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Resolves after `ms`, or at once when the signal fires; never rejects. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** A signal that fires after `ms`. */
  readonly timeout: (ms: number) => AbortSignal;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  readonly newId: (prefix: 'msg' | 'call' | 'mcall' | 'wait' | 'task' | 'ask') => string;
  /** SHA-256 of a text, as 64 hexadecimal digits. */
  readonly hash: (text: string) => string;
  /** Live only, best effort; never throws. */
  readonly emit: (taskId: string, delta: DeltaEvent) => void;
  /**
   * False once the lease may have run out unnoticed, as for a process that was stopped for a while. Checked right before each
   * effect: the answer to the commit that allowed it may have been read long after it was given.
   */
  readonly holdsLease: () => boolean;
  /** True when the worker drains: the run gives the task back at the next step boundary. */
  readonly shouldYield: () => boolean;
}

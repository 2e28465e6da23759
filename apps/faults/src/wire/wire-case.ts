/** A case: what the server sends for the requests of one task, and what must come of the task. */
import type { CreateTaskInput, StopCause, TaskState } from '@bullpen/contracts';
import type { Play, UsageRow } from './played.js';
import type { Reply } from './reply.js';
import type { Script } from './wire-server.js';
import type { WireStack } from './wire-stack.js';

export interface WireCase {
  /** Unique, in kebab case. */
  readonly name: string;
  /** What the wire says, for people. */
  readonly what: string;
  /** Replies in order, or a function of the request. After the last one comes the ordinary answer `AFTER`. */
  readonly replies: readonly Reply[] | Script;
  /** What the task has beyond the usual. */
  readonly task?: CreateTaskInput;
  /** What the requests of other tasks get, by their names: those of its subtasks. */
  readonly others?: Readonly<Record<string, Script>>;
  readonly expect: Expectation;
  /** It touches the provider's key: no other case runs meanwhile, and a bystander must get through afterwards. @defaultValue false */
  readonly alone?: boolean;
}

export interface Expectation {
  /** How it may end. A task that waits for a person or for its key counts as ended, with `waiting`. @defaultValue completed */
  readonly state?: TaskState | readonly TaskState[];
  readonly cause?: StopCause | readonly StopCause[];
  /** The output of a completed task: these words, or words that fit. */
  readonly output?: string | RegExp;
  /** Words that are no result: a completed task must have another output. */
  readonly notOutput?: string;
  /** What the failure must say. */
  readonly failure?: RegExp;
  /** Requests that reach the server: so many, or from one number to another. */
  readonly requests?: number | readonly [number, number];
  /** The calls of the task in order, none left out. */
  readonly calls?: readonly CallExpectation[];
  /** Files of the workspace; null for one that must not be there. */
  readonly files?: Readonly<Record<string, string | null>>;
  /** Rows of usage in order; only what is named is looked at. */
  readonly usage?: readonly Partial<UsageRow>[];
  /** What the API may refuse because of what came; the task gets over it. @defaultValue nothing */
  readonly refusals?: RegExp;
  /** The key is parked by it. @defaultValue false */
  readonly parks?: boolean;
  /** Whatever else must hold; gives what does not. */
  readonly also?: (play: Play) => readonly string[];
}

/** What is looked at without the requests of one task: played when all cases are over, one after the other. */
export interface Probe {
  readonly name: string;
  readonly what: string;
  readonly probe: (stack: WireStack) => Promise<readonly string[] | Skipped>;
}

/** It cannot be tried on this machine. */
export interface Skipped {
  readonly skipped: string;
}

export interface CallExpectation {
  readonly tool: string;
  /** @defaultValue done */
  readonly state?: 'done' | 'errored' | 'canceled';
  /** A part of the arguments that it ran with. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly output?: RegExp;
}

/** What the server says when a case has nothing more to say. */
export const AFTER = 'All is done.';

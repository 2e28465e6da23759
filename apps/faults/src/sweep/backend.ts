/** Where a world's tasks are stored: in memory, or in a real Postgres. What the world needs beside the executor's port. */
import type {
  AgentDefinition,
  DurableEventBody,
  StopCause,
  TaskState,
  TokenUsage,
  Wake,
} from '@bullpen/contracts';
import type { InboxMessage, Lease, StoredMessage, TaskStore } from '@bullpen/core';
import type { Actor } from './scheduler.js';

/** A wait of a task, as the step that opened it named it. */
export interface OpenedWait {
  readonly taskId: string;
  readonly epoch: number;
  readonly waitId: string;
}

/** Told of wakes that a commit made; what is told here may get lost. */
export type TellWakes = (wakes: readonly Wake[]) => void;

export interface Backend {
  /** Tasks that a process runs at the same time. */
  readonly slots: number;
  /** The store as one process sees it. */
  storeOf(actor: Actor): TaskStore;
  create(taskId: string, definition: AgentDefinition, prompt: string): Promise<void>;
  /** False: there was nothing left to cancel. */
  cancel(taskId: string): Promise<boolean>;
  /** The attempt that is cancelled, or is to be; null: none is, perhaps because somebody has let the task go on since. */
  cancelledAttempt(taskId: string): Promise<number | null>;
  /** False: the task has ended. */
  send(taskId: string, message: InboxMessage): Promise<boolean>;
  /** Pauses a task and all below it; `now` leaves what is under way. False: there is nothing to pause, or nobody knows. */
  pause(taskId: string, now: boolean): Promise<boolean>;
  /** `unknown`: nobody knows whether it is stored. */
  resume(taskId: string): Promise<'done' | 'ended' | 'unknown'>;
  /** `paused`: only the message was taken. */
  interrupt(taskId: string, message: InboxMessage): Promise<'interrupted' | 'paused' | 'ended' | 'unknown'>;
  /** The task gets a deadline that has passed. */
  passDeadline(taskId: string): Promise<void>;
  /** Time passes for one lease, without a renewal. */
  loseLease(lease: Lease): Promise<void>;
  /** Time passes for one wait. */
  makeDue(wait: OpenedWait): Promise<void>;
  /** The reconciler's jobs. The first gives the tasks that it took away from their workers. */
  expireLeases(): Promise<readonly string[]>;
  fireDueWaits(): Promise<void>;
  endOverdue(): Promise<void>;
  dueWakes(): Promise<readonly Wake[]>;
  allEnded(): Promise<boolean>;
  view(): Promise<WorldView>;
  /** What only this kind of store can check about itself; texts of what is wrong. */
  selfCheck(): Promise<readonly string[]>;
}

/** All that is stored, in the shape in which it is judged. */
export interface WorldView {
  readonly tasks: readonly TaskView[];
  /** The account of the root. */
  readonly account: { readonly limit: bigint | null; readonly spent: bigint; readonly reserved: bigint };
}

export interface TaskView {
  readonly id: string;
  readonly parentId: string | null;
  readonly state: TaskState;
  readonly cause: StopCause | null;
  /** Code of the failure; null without one. */
  readonly failure: string | null;
  readonly epoch: number;
  readonly wake: number;
  readonly inboxPending: number;
  readonly usage: TokenUsage;
  readonly costNanoUsd: bigint;
  readonly messages: readonly StoredMessage[];
  readonly events: readonly DurableEventBody[];
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly toolUseId: string;
    readonly status: string;
    readonly isError: boolean;
    readonly output: string | null;
  }[];
  readonly modelCalls: readonly { readonly id: string; readonly turn: number; readonly status: string }[];
  readonly usageRows: readonly {
    readonly modelCallId: string;
    readonly usage: TokenUsage;
    readonly costNanoUsd: bigint | null;
  }[];
}

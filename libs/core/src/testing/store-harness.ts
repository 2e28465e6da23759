/** What the store contract needs of an implementation, and of what it stored. */
import type { AgentDefinition, DurableEventBody, RewindTask } from '@bullpen/contracts';
import type { TaskStore } from '../ports/store.js';

/** What the suite needs beside the port: to make tasks, and to look at what is stored. */
export interface TaskStoreHarness {
  readonly store: TaskStore;
  /** A definition that may be changed; its limits must allow what the suite does. */
  readonly definition: AgentDefinition;
  create(definition: AgentDefinition): Promise<string>;
  look(taskId: string): Promise<StoredTask>;
  expire(taskId: string): Promise<void>;
  cancel(taskId: string): Promise<void>;
  pause(taskId: string): Promise<void>;
  resume(taskId: string): Promise<void>;
  interrupt(taskId: string, text: string): Promise<void>;
  /** The same, and the turn under way is dropped. */
  rollBack(taskId: string, text: string): Promise<void>;
  /** Lets the time of the task's wait come. */
  fireDue(taskId: string): Promise<void>;
  /** Gives the id of the message in the inbox. A task that has ended goes on with it. */
  send(taskId: string, text: string): Promise<string>;
  /** Changes a message of the inbox; null withdraws it. */
  change(taskId: string, inboxId: string, text: string | null): Promise<string>;
  /** Drops the newest exchanges; gives the words with which the first of them began, or null when it is refused. */
  rewind(taskId: string, request: RewindTask): Promise<string | null>;
  /** A person fires a trigger of the task's mode. */
  transition(taskId: string, trigger: string, reason: string | null): Promise<void>;
  newId(prefix: 'msg' | 'call' | 'mcall' | 'wait' | 'task' | 'ckpt'): string;
  close(): Promise<void>;
}

export interface StoredTask {
  readonly state: string;
  readonly wake: number;
  readonly epoch: number;
  readonly messages: number;
  readonly events: readonly DurableEventBody['type'][];
  readonly calls: readonly { readonly status: string; readonly started: boolean }[];
  readonly spent: bigint;
  readonly reserved: bigint;
  readonly cost: bigint;
  readonly cause: string | null;
  readonly crashes: number;
  readonly attempt: number;
}

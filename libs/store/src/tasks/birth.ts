/** New tasks: `parts/birth.sql` is the one place where they are born, as roots or within a step of their parent. */
import type { AgentDefinition, ContextItem, Json, TaskWorkspace } from '@bullpen/contracts';
import { firstMessage, type NewChild } from '@bullpen/core';
import type { PoolClient } from 'pg';
import type { KeyedAnswer } from '../requests/idempotency.js';
import type { Change } from './changes.js';
import { pgJson, prepared } from '../steps/sql.js';
import { limitOf } from './task-rows.js';

export interface NewRootTask {
  readonly id: string;
  readonly tenantId: string;
  readonly title: string;
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly input: Json | null;
  readonly workspace: TaskWorkspace;
  readonly contextItems?: readonly ContextItem[];
  readonly priority: number;
  readonly runAt: Date | null;
  readonly deadlineAt?: Date | null;
  /** The ended task that this one repeats. */
  readonly retryOfId?: string | null;
  /** The imported task whose conversation it goes on from. */
  readonly historyOf?: string | null;
  /** What its user says besides, which its agent reads first. */
  readonly message?: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface Born {
  readonly changes: readonly Change[];
  readonly createdAt: Date;
}

/** A root as the statement takes it. */
export interface RootRow {
  readonly id: string;
  readonly json: string;
}

export function rootRow(task: NewRootTask, messageId: string, keyed?: KeyedAnswer): RootRow {
  const row = { ...task, ...firstWords(task, messageId), limitNanoUsd: limitOf(task.definition), ...keyed };
  return { id: task.id, json: pgJson(row) };
}

/** Stores roots, each with everything that it needs, in one statement; null for one whose claim was lost. In the order given. */
export async function createRoots(
  client: Pick<PoolClient, 'query'>,
  roots: readonly RootRow[],
): Promise<(Born | null)[]> {
  const given = `[${roots.map(({ json }) => json).join()}]`;
  const { rows } = await client.query<Change & { created_at: Date }>(prepared('create-task', [given]));
  const stored = new Map(rows.map((row) => [row.id, row]));
  return roots.map(({ id }) => {
    const change = stored.get(id);
    return change === undefined ? null : { changes: [change], createdAt: change.created_at };
  });
}

/** What a step gives of a new child; `messageId` is the id of its first message. */
export function childRow(child: NewChild, messageId: string) {
  return { ...child, ...firstWords(child, messageId) };
}

function firstWords(
  { definition, prompt, input }: Pick<NewChild, 'definition' | 'prompt' | 'input'>,
  messageId: string,
) {
  const { name: agent, model } = definition;
  return { agent, model, messageId, messageText: firstMessage(prompt, input) };
}

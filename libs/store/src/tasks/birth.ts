/** Root tasks, inside a transaction. */
import type { AgentDefinition, Json, WorkspaceSpec } from '@bullpen/contracts';
import { firstMessage } from '@bullpen/core';
import type { PoolClient } from 'pg';
import type { CommitEffects } from './changes.js';
import { pgJson, prepared } from '../steps/sql.js';
import { limitOf } from './task-rows.js';

export interface NewRootTask {
  readonly id: string;
  readonly tenantId: string;
  readonly title: string;
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly input: Json | null;
  readonly workspace: WorkspaceSpec;
  readonly priority: number;
  readonly runAt: Date | null;
  readonly deadlineAt?: Date | null;
  /** The ended task that this one repeats. */
  readonly retryOfId?: string | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Stores a root with everything that it needs, in one statement. `due`: it may start now. */
export async function createRoot(
  client: Pick<PoolClient, 'query'>,
  task: NewRootTask,
  messageId: string,
): Promise<{ due: boolean; createdAt: Date }> {
  const { definition, prompt, input } = task;
  const row = {
    ...task,
    agent: definition.name,
    model: definition.model,
    messageId,
    messageText: firstMessage(prompt, input),
    limitNanoUsd: limitOf(definition),
  };
  const { rows } = await client.query<{ due: boolean; created_at: Date }>(
    prepared('create-task', [pgJson(row)]),
  );
  if (rows[0] === undefined) throw new Error(`create-task.sql gave no row for ${task.id}`);
  return { due: rows[0].due, createdAt: rows[0].created_at };
}

/** What has to be announced about a new root. */
export function effectsOfBirth(
  { id, tenantId }: Pick<NewRootTask, 'id' | 'tenantId'>,
  due: boolean,
): CommitEffects {
  return {
    wakes: due ? [{ taskId: id, wake: 1 }] : [],
    rows: [{ tenantId, rootId: id, taskId: id, seq: 2 }],
    cancels: [],
  };
}

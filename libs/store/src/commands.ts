/** What people do to tasks: submit, cancel, speak. Each is one transaction with its events and wakes. */
import { firstMessage } from '@bullpen/core';
import type { AgentDefinition, Json, WorkspaceSpec } from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { cancelTree, closeEdges, effectsOf, type Parent } from './cancelling.js';
import type { CommitEffects } from './effects.js';
import { retryLocked, type RetryRequest, type RetryResult } from './retrying.js';
import { pgJson, prepared } from './steps/sql.js';
import { limitOf } from './task-rows.js';
import { inTransaction } from './transaction.js';

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
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** The row that `create-task.sql` gives. */
interface CreatedRow {
  due: boolean;
  created_at: Date;
}

export interface TaskCommandsOptions {
  readonly pool: Pool;
  readonly newId: (prefix: 'msg') => string;
  /** Called after each commit; must not throw. */
  readonly onCommitted?: (effects: CommitEffects) => void;
}

/** `requested`: the task runs; its worker stops it, and no tool of it starts any more. */
export type CancelResult = 'cancelled' | 'requested' | 'already_ended' | 'not_found';
export type SendResult = 'queued' | 'task_finished' | 'not_found';

export class TaskCommands {
  constructor(private readonly options: TaskCommandsOptions) {}

  /**
   * Stores a task so that it cannot be lost. `within` runs in the same transaction, for what must stand or fall with it (an
   * idempotency record); without it the task is one statement, and one round trip. `createdAt` is as stored.
   */
  async create(
    task: NewRootTask,
    within?: (client: PoolClient) => Promise<void>,
  ): Promise<{ taskId: string; createdAt: Date }> {
    const { pool } = this.options;
    const created =
      within === undefined
        ? await this.store(pool, task)
        : await inTransaction(pool, async (client) => {
            const row = await this.store(client, task);
            await within(client);
            return row;
          });
    if (created === 'rollback') throw new Error(`Nothing rolled back the creation of ${task.id}`);
    this.options.onCommitted?.({
      wakes: created.due ? [{ taskId: task.id, wake: 1 }] : [],
      rows: [{ tenantId: task.tenantId, rootId: task.id, taskId: task.id, seq: 2 }],
      cancels: [],
    });
    return { taskId: task.id, createdAt: created.created_at };
  }

  private async store(client: Pick<PoolClient, 'query'>, task: NewRootTask): Promise<CreatedRow> {
    const { definition, prompt, input } = task;
    const given = {
      ...task,
      agent: definition.name,
      model: definition.model,
      messageId: this.options.newId('msg'),
      messageText: firstMessage(prompt, input),
      limitNanoUsd: limitOf(definition),
    };
    const { rows } = await client.query<CreatedRow>(prepared('create-task', [pgJson(given)]));
    if (rows[0] === undefined) throw new Error(`create-task.sql gave no row for ${task.id}`);
    return rows[0];
  }

  /** Cancels a task and everything below it. Safe to repeat; races safely with ends, spawns and wakes. */
  async cancel(tenantId: string, taskId: string, reason: string | null): Promise<CancelResult> {
    const { rows } = await this.options.pool.query<{ state: string }>(
      'SELECT state FROM tasks WHERE id = $1 AND tenant_id = $2',
      [taskId, tenantId],
    );
    if (!rows[0]) return 'not_found';
    let parent: Parent | null = null;
    const touched = await inTransaction(this.options.pool, async (client) => {
      const all = await cancelTree(client, taskId, reason);
      if (all.some((task) => task.id === taskId && task.ended)) parent = await closeEdges(client, taskId);
      return all;
    });
    if (touched === 'rollback') return 'not_found';
    this.options.onCommitted?.(effectsOf(touched, parent));
    const own = touched.find((task) => task.id === taskId);
    if (own) return own.ended ? 'cancelled' : 'requested';
    return this.resultOfRepeat(taskId);
  }

  /** Puts a message into a task's inbox; the agent reads it at its next turn border. */
  async sendMessage(
    tenantId: string,
    taskId: string,
    message: { id: string; text: string },
  ): Promise<SendResult> {
    const { rows } = await this.options.pool.query<{ heard: number; found: number }>(
      prepared('send-message', [taskId, tenantId, message.id, message.text]),
    );
    const row = rows[0];
    if (!row || row.found === 0) return 'not_found';
    return row.heard > 0 ? 'queued' : 'task_finished';
  }

  /** Gives a failed task another attempt, from where it stopped. Of two retries at once one is refused. */
  async retry(tenantId: string, taskId: string, request: RetryRequest): Promise<RetryResult> {
    const result = await inTransaction(this.options.pool, (client) =>
      retryLocked(client, tenantId, taskId, request),
    );
    if (result === 'rollback') return { kind: 'not_found' };
    if (result.kind !== 'requeued') return result;
    const { id, root_id: rootId, event_seq: seq, wake } = result.task;
    this.options.onCommitted?.({
      wakes: [{ taskId: id, wake }],
      rows: [{ tenantId, rootId, taskId: id, seq }],
      cancels: [],
    });
    return { kind: 'queued' };
  }

  /** Nothing was touched: the task had ended, or an earlier cancel still runs its course. */
  private async resultOfRepeat(taskId: string): Promise<CancelResult> {
    const { rows } = await this.options.pool.query<{ state: string }>(
      'SELECT state FROM tasks WHERE id = $1',
      [taskId],
    );
    return rows[0]?.state === 'running'
      ? 'requested'
      : rows[0]?.state === 'cancelled'
        ? 'cancelled'
        : 'already_ended';
  }
}

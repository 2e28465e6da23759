/**
 * The executor's store on Postgres. Each step is one statement, the usual ones of several tasks together; suspending and ending lock the rows that others may wake.
 */
import {
  type ChildOutcome,
  type CommitResult,
  type InboxMessage,
  type InteractionRecord,
  type Lease,
  type PolicyLayers,
  type Step,
  type StepEnd,
  type TaskRecord,
  type TaskSnapshot,
  type TaskStore,
  type Transition,
  type WorkInHand,
} from '@bullpen/core';
import { folderOf, ModelRoute } from '@bullpen/contracts';
import type { Pool, PoolClient } from 'pg';
import { cancelDescendants, closeEdges } from './cancellation.js';
import { tell, type Change, type OnCommitted } from './changes.js';
import { Claims } from './claims.js';
import { isUnreachable, mayPass } from '../database/pool.js';
import { PolicyLayerStore } from '../interactions/policy-layers.js';
import { prepared } from '../steps/sql.js';
import { Loads } from './loads.js';
import { StepBatches } from './step-batches.js';
import { refusal, type RefusedRow, type StepRow } from './step-rows.js';
import { isUsual, stepStatement } from './step-statement.js';
import { transitionsOf } from './transitions.js';
import { childOutcomeOf, interactionOf, type JsonRow } from './task-rows.js';
import { inTransaction } from '../database/transaction.js';

export interface TaskStoreOptions {
  readonly pool: Pool;
  /** How long a lease lasts without renewal, in ms. */
  readonly leaseMs: number;
  readonly newId: (prefix: 'msg') => string;
  readonly onCommitted?: OnCommitted;
}

export class PostgresTaskStore implements TaskStore {
  /** Of loaded tasks: the attempt, for the events at its end, the tree, whose account its steps pay from, and how many subtasks it has. */
  private readonly loaded = new WeakMap<Lease, Pick<TaskRecord, 'attempt' | 'rootId' | 'childCount'>>();

  private readonly policies: PolicyLayerStore;
  private readonly batches: StepBatches;
  private readonly claims: Claims;
  private readonly loads: Loads;

  constructor(private readonly options: TaskStoreOptions) {
    this.policies = new PolicyLayerStore(options.pool);
    const told = (changes: readonly Change[]) => this.tell(changes);
    this.batches = new StepBatches(options.pool, told);
    this.claims = new Claims(options.pool, options.leaseMs, told);
    this.loads = new Loads(options.pool);
  }

  readonly mayPass = mayPass;
  readonly isAway = isUnreachable;

  claim(taskId: string, wake: number, workerId: string): Promise<Lease | null> {
    return this.claims.ask({ taskId, wake, workerId });
  }

  async load(lease: Lease): Promise<TaskSnapshot | null> {
    const snapshot = await this.loads.ask(lease);
    if (snapshot === null) return null;
    const { attempt, rootId, childCount } = snapshot.task;
    this.loaded.set(lease, { attempt, rootId, childCount });
    return snapshot;
  }

  async commit(lease: Lease, step: Step): Promise<CommitResult> {
    switch (step.end?.kind) {
      case 'suspend':
      case 'retry':
        return this.suspend(lease, step, step.end);
      case 'finish':
        return this.finish(lease, step);
      case 'yield':
      case 'pause':
      case undefined: {
        const row = isUsual(step)
          ? await this.batches.store(this.loaded.get(lease)?.rootId ?? lease.taskId, lease, step)
          : await this.run(this.options.pool, lease, step, step.end);
        return this.conclude(lease, step, row);
      }
    }
  }

  /** Queues a task whose run broke off, saying why; false when the lease is lost, because then somebody else takes care of it. */
  async giveBack(lease: Lease, note: string): Promise<boolean> {
    const { taskId, epoch } = lease;
    const { rows } = await this.options.pool.query<Change>(prepared('give-back', [taskId, epoch, note]));
    this.tell(rows);
    return rows.length > 0;
  }

  async takeInbox(lease: Lease): Promise<readonly InboxMessage[]> {
    const { rows } = await this.options.pool.query<InboxMessage>(
      prepared('take-inbox', [lease.taskId, lease.epoch]),
    );
    return rows;
  }

  layers({
    tenantId,
    workspace,
    rootId,
  }: Pick<TaskRecord, 'tenantId' | 'workspace' | 'rootId'>): Promise<PolicyLayers> {
    return this.policies.around(tenantId, folderOf(workspace), rootId);
  }

  /** Root tasks of the tenant that have not ended and work in this folder itself, not on a copy of it. */
  async othersInPlace(
    { tenantId, rootId }: Pick<TaskRecord, 'tenantId' | 'rootId'>,
    folder: string,
  ): Promise<string[]> {
    const { rows } = await this.options.pool.query<{ id: string }>(
      `SELECT id FROM tasks
        WHERE tenant_id = $1 AND id <> $2 AND parent_id IS NULL AND state NOT IN ('completed', 'failed', 'cancelled')
          AND workspace_path = $3 AND workspace->>'kind' = 'path' AND NOT (workspace->>'copy')::boolean
        ORDER BY id LIMIT 20`,
      [tenantId, rootId, folder],
    );
    return rows.map(({ id }) => id);
  }

  async interactions(taskId: string): Promise<readonly InteractionRecord[]> {
    const { rows } = await this.options.pool.query<JsonRow>(prepared('current-interactions', [taskId]));
    return rows.map(interactionOf);
  }

  async children(taskId: string, ids: readonly string[]): Promise<readonly ChildOutcome[]> {
    const { rows } = await this.options.pool.query<JsonRow>(prepared('children', [taskId, ids]));
    return rows.map(childOutcomeOf);
  }

  async transitions(taskId: string): Promise<readonly Transition[]> {
    return transitionsOf(this.options.pool, taskId);
  }

  async workInHand(taskId: string): Promise<WorkInHand> {
    const { rows } = await this.options.pool.query<WorkInHand>(prepared('work-in-hand', [taskId]));
    return rows[0] ?? { requests: [], children: [], processes: [] };
  }

  async storedOutput(taskId: string, callId: string): Promise<string | null> {
    const { rows } = await this.options.pool.query<{ text: string | null }>(
      'SELECT coalesce(full_output, output) AS text FROM tool_calls WHERE task_id = $1 AND (id = $2 OR tool_use_id = $2)',
      [taskId, callId],
    );
    return rows[0]?.text ?? null;
  }

  /**
   * The task's own row is locked before the children are checked: none of them can end unnoticed between the check and the suspend.
   */
  private async suspend(
    lease: Lease,
    step: Step,
    end: Extract<StepEnd, { kind: 'suspend' | 'retry' }>,
  ): Promise<CommitResult> {
    const { wait, waitId } = end;
    let satisfied = false;
    const row = await inTransaction(this.options.pool, async (client) => {
      await client.query(prepared('lock-tasks', [[lease.taskId]]));
      const opened = await client.query<{ satisfied: boolean }>(
        prepared('open-wait', [
          waitId,
          lease.taskId,
          wait.reason,
          wait.mode,
          wait.childIds,
          wait.dueInMs,
          wait.providerKey ?? null,
          step.patch.interrupted === false,
          wait.interactionIds ?? [],
          step.consumedInbox.length,
        ]),
      );
      satisfied = opened.rows[0]?.satisfied ?? false;
      const stored = await this.run(client, lease, step, satisfied ? null : end);
      return stored?.stored ? stored : ('rollback' as const);
    });
    if (row === 'rollback') return { kind: 'fenced' };
    const result = this.conclude(lease, step, row);
    return satisfied && result.kind === 'committed' ? { ...result, kind: 'not_suspended' } : result;
  }

  /** The end of a task that has no subtasks goes together with others. What the batch did not store is asked for alone. */
  private async finish(lease: Lease, step: Step): Promise<CommitResult> {
    const known = this.loaded.get(lease);
    if (known?.childCount !== 0 || step.children.length > 0) return this.finishAlone(lease, step);
    const statement = this.statement(lease, step, step.end);
    const fate = await this.batches.end(known.rootId, lease.taskId, statement);
    return fate === 'left out' ? this.finishAlone(lease, step) : this.conclude(lease, step, fate.row);
  }

  /**
   * The parent's row is locked first: it cannot suspend on this task between its end and the closing of the edges. Children that
   * still run are cancelled with it.
   */
  private async finishAlone(lease: Lease, step: Step): Promise<CommitResult> {
    const others: Change[] = [];
    let refused: RefusedRow | undefined;
    const row = await inTransaction(this.options.pool, async (client) => {
      await client.query(prepared('lock-family', [lease.taskId]));
      const stored = await this.run(client, lease, step, step.end);
      if (!stored?.stored) {
        refused = stored;
        return 'rollback' as const;
      }
      if (stored.child_count > 0) others.push(...(await cancelDescendants(client, lease.taskId)));
      others.push(...(await closeEdges(client, lease.taskId)));
      return stored;
    });
    if (row === 'rollback') return this.conclude(lease, step, refused);
    const result = this.conclude(lease, step, row);
    this.tell(others);
    return result;
  }

  private async run(
    client: Pool | PoolClient,
    lease: Lease,
    step: Step,
    end: StepEnd | null,
  ): Promise<StepRow | undefined> {
    const { rows } = await client.query<StepRow>(this.statement(lease, step, end));
    return rows[0];
  }

  private statement(lease: Lease, step: Step, end: StepEnd | null) {
    const attempt = this.loaded.get(lease)?.attempt ?? 1;
    return stepStatement(lease, step, end, { attempt, newId: this.options.newId });
  }

  private conclude(lease: Lease, step: Step, row: StepRow | undefined): CommitResult {
    if (!row?.stored) return refusal(step, row);
    const { taskId } = lease;
    const { root_id, tenant_id, stopping } = row;
    const known = this.loaded.get(lease);
    if (known && known.childCount !== row.child_count)
      this.loaded.set(lease, { ...known, childCount: row.child_count });
    const born = { root_id, tenant_id, event_seq: stopping ? 3 : 2, wake: stopping ? null : 1 };
    this.tell([
      { ...row, id: taskId, wake: row.state === 'queued' ? row.wake : null },
      ...step.children.map(({ id }) => ({ ...born, id })),
    ]);
    return {
      kind: 'committed',
      cancelRequested: row.cancel_requested,
      pauseRequested: row.pause_requested,
      interrupted: row.interrupted,
      rollback: row.rollback,
      autonomy: row.autonomy,
      route: ModelRoute.nullable().parse(row.route),
      modeSeq: row.mode_seq,
      inboxPending: row.inbox_pending,
      eventSeq: row.event_seq,
    };
  }

  private tell(changes: readonly Change[]): void {
    tell(this.options.onCommitted, changes);
  }
}

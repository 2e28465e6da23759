/**
 * Restores that people ask for. The gateway touches no workspace: it writes a row, and a worker that has the files carries it out. Until then no run
 * opens the workspace, so that none works on files that are about to change.
 */
import { isTerminal, type RestoreScope, type RestoreView } from '@bullpen/contracts';
import { historyRestoredNotice, isRewindable } from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../database/transaction.js';
import { pgJson } from '../steps/sql.js';
import { lockSubtree } from '../tasks/cancellation.js';
import { tell, unchanged, type Change, type OnCommitted, type Outcome } from '../tasks/changes.js';
import { lockTask, type LockedTask } from '../tasks/controls.js';
import { dropHistory } from '../tasks/rewind.js';
import { cutAfter, tellTask, viewOfRestore, type HistoryCut, type RestoreRow } from './restore-rows.js';

export interface RestoreRequest {
  readonly id: string;
  readonly checkpointId: string;
  readonly what: RestoreScope;
  readonly dryRun: boolean;
  /** Who asked, for the record. */
  readonly by: string;
}

/** `busy`: something works on the files or waits to, named by `id`. `refused`: it cannot be done to this task at all. */
export type RestoreRequestResult =
  | { readonly kind: 'accepted'; readonly restore: RestoreView }
  | { readonly kind: 'not_found' | 'unknown_checkpoint' }
  | { readonly kind: 'busy'; readonly why: 'run' | 'restore' | 'process'; readonly id: string }
  | { readonly kind: 'busy'; readonly why: 'conversation' }
  | { readonly kind: 'refused'; readonly reason: string };

export interface RestoresOptions {
  readonly pool: Pool;
  readonly newId: (prefix: 'inbox') => string;
  readonly onCommitted?: OnCommitted;
}

interface Target {
  readonly rootId: string;
  readonly workspaceId: string;
  readonly taskId: string;
  readonly turn: number;
  readonly messageSeq: number;
  readonly originId: string;
}

/** What people ask for: restores of a tenant's tasks, and what became of them. */
export class Restores {
  constructor(private readonly options: RestoresOptions) {}

  /** Asks for a restore, or for a look at what it would do. A history is brought back here and now, files by a worker. */
  async request(tenantId: string, taskId: string, request: RestoreRequest): Promise<RestoreRequestResult> {
    const { pool, onCommitted } = this.options;
    const { result, changes } = await inTransaction(pool, (client) =>
      this.requestLocked(client, tenantId, taskId, request),
    );
    tell(onCommitted, changes);
    return result;
  }

  /** Null when there is none, or when it belongs to another tenant. */
  async find(tenantId: string, id: string): Promise<RestoreView | null> {
    const { rows } = await this.options.pool.query<RestoreRow>(
      'SELECT * FROM restores WHERE id = $1 AND tenant_id = $2',
      [id, tenantId],
    );
    return rows[0] === undefined ? null : viewOfRestore(rows[0]);
  }

  private async requestLocked(
    client: PoolClient,
    tenantId: string,
    taskId: string,
    request: RestoreRequest,
  ): Promise<Outcome<RestoreRequestResult>> {
    const task = await lockTree(client, tenantId, taskId);
    if (task === null) return unchanged({ kind: 'not_found' });
    const target = await targetOf(client, taskId, request.checkpointId);
    if (target === null) return unchanged({ kind: 'unknown_checkpoint' });
    const { what } = request;
    const obstacle =
      (what === 'history' ? null : await obstacleTo(client, target)) ??
      (what === 'files' ? null : historyObstacle(task, target));
    if (obstacle !== null) return unchanged(obstacle);
    const cut = what === 'files' ? null : await cutAfter(client, taskId, target);
    if (what !== 'files' && isTerminal(task.state) && cut !== null && (await dropsAll(client, taskId, cut)))
      return unchanged({
        kind: 'refused',
        reason: 'Nothing would be left of the conversation: start the task over instead.',
      });
    return this.insert(client, target, taskId, request, cut);
  }

  private async insert(
    client: PoolClient,
    { rootId, workspaceId, originId, turn }: Target,
    taskId: string,
    { id, checkpointId, what, dryRun, by }: RestoreRequest,
    cut: HistoryCut | null,
  ): Promise<Outcome<RestoreRequestResult>> {
    const isAtOnce = what === 'history';
    const history = what === 'files' ? null : { turn, messages: cut?.messages ?? 0 };
    await client.query(
      `DELETE FROM restores WHERE workspace_id = $1 AND dry_run AND created_at < now() - interval '1 hour'`,
      [workspaceId],
    );
    const { rows } = await client.query<RestoreRow>(
      `INSERT INTO restores (id, task_id, root_id, tenant_id, workspace_id, checkpoint_id, origin_id, what, dry_run, history, ended_at)
       SELECT $1, id, $2, tenant_id, $3, $4, $5, $6, $7, $8, CASE WHEN $9 THEN now() END FROM tasks WHERE id = $10 RETURNING *`,
      [
        ...[id, rootId, workspaceId, checkpointId, originId, what, dryRun],
        ...[history && pgJson(history), isAtOnce, taskId],
      ],
    );
    const changes = dryRun
      ? []
      : isAtOnce
        ? await dropLater(client, taskId, cut, true, this.options.newId)
        : await tellTask(client, taskId, {
            type: 'workspace.restore_requested',
            data: { checkpointId, what, by },
          });
    return { result: { kind: 'accepted', restore: viewOfRestore(rows[0] as RestoreRow) }, changes };
  }
}

/** Drops what came after a checkpoint; an agent whose files stay as they are is told that they may be ahead. */
export async function dropLater(
  client: PoolClient,
  taskId: string,
  cut: HistoryCut | null,
  filesStay: boolean,
  newId: RestoresOptions['newId'],
): Promise<readonly Change[]> {
  if (cut === null) return [];
  const { changes } = await dropHistory(client, taskId, cut.fromSeq, 'restore', newId('inbox'));
  if (filesStay)
    await client.query(
      `WITH told AS (UPDATE tasks SET inbox_pending = inbox_pending + 1 WHERE id = $1 RETURNING id)
       INSERT INTO inbox_messages (id, task_id, text, source) SELECT $2, id, $3, 'notice' FROM told`,
      [taskId, newId('inbox'), historyRestoredNotice()],
    );
  return changes;
}

/** Locks the whole tree: nobody claims one of its tasks meanwhile, and its checkpoints stay. */
async function lockTree(client: PoolClient, tenantId: string, taskId: string): Promise<LockedTask | null> {
  const { rows } = await client.query<{ root_id: string }>(
    'SELECT root_id FROM tasks WHERE id = $1 AND tenant_id = $2',
    [taskId, tenantId],
  );
  if (rows[0] === undefined) return null;
  await lockSubtree(client, rows[0].root_id);
  return lockTask(client, tenantId, taskId);
}

/** A checkpoint of the workspace that the task works in, or the one that it begins from. */
async function targetOf(client: PoolClient, taskId: string, checkpointId: string): Promise<Target | null> {
  const { rows } = await client.query<Target>(
    `SELECT t.root_id AS "rootId", w.id AS "workspaceId", c.task_id AS "taskId", c.turn, c.message_seq AS "messageSeq",
       coalesce(r.origin_id, c.id) AS "originId"
     FROM tasks t JOIN workspaces w ON w.id = coalesce(t.workspace_id, t.root_id)
     JOIN checkpoints c ON c.id = $2 AND (c.workspace_id = w.id OR c.id = w.base AND c.root_id = w.root_id)
     LEFT JOIN restores r ON r.workspace_id = w.id AND r.after_id = c.id
     WHERE t.id = $1`,
    [taskId, checkpointId],
  );
  return rows[0] ?? null;
}

/** What keeps the files from being changed. */
async function obstacleTo(
  client: PoolClient,
  { rootId, workspaceId }: Target,
): Promise<RestoreRequestResult | null> {
  const { rows } = await client.query<{ why: 'run' | 'restore' | 'process'; id: string }>(
    `WITH there AS (SELECT id, state FROM tasks WHERE root_id = $1 AND coalesce(workspace_id, root_id) = $2)
     (SELECT 'run' AS why, id FROM there WHERE state = 'running' LIMIT 1)
     UNION ALL (SELECT 'restore', id FROM restores WHERE workspace_id = $2 AND ended_at IS NULL AND NOT dry_run LIMIT 1)
     UNION ALL (SELECT 'process', p.id FROM processes p JOIN there ON there.id = p.task_id WHERE p.state = 'running' LIMIT 1)`,
    [rootId, workspaceId],
  );
  return rows[0] === undefined ? null : { kind: 'busy', ...rows[0] };
}

function historyObstacle(
  { taskId, state, waitReason }: LockedTask,
  target: Target,
): RestoreRequestResult | null {
  if (target.taskId !== taskId)
    return {
      kind: 'refused',
      reason: `The checkpoint was taken by ${target.taskId}: of ${taskId}, only the files can be restored to it.`,
    };
  return isTerminal(state) || isRewindable(state, waitReason) ? null : { kind: 'busy', why: 'conversation' };
}

async function dropsAll(client: PoolClient, taskId: string, { fromSeq }: HistoryCut): Promise<boolean> {
  const { rows } = await client.query(
    'SELECT FROM api_messages WHERE task_id = $1 AND dropped_at IS NULL AND seq < $2 LIMIT 1',
    [taskId, fromSeq],
  );
  return rows.length === 0;
}

/**
 * Restores of files as workers carry them out. Each step is one transaction on the locked tree. Who ends one must still have seen the workspace as it is:
 * a worker that lost it meanwhile changes nothing.
 */
import { TaskWorkspace, type RestoredFiles, type LeftOutOfCheckpoint } from '@bullpen/contracts';
import type { NewCheckpoint } from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { columnOf } from '../database/json-column.js';
import { inTransaction } from '../database/transaction.js';
import { pgJson } from '../steps/sql.js';
import { lockSubtree } from '../tasks/cancellation.js';
import { tell, unchanged, type Outcome } from '../tasks/changes.js';
import { cutAfter, insertCheckpoint, tellTask, type HistoryPlace, type RestoreRow } from './restore-rows.js';
import { dropLater, type RestoresOptions } from './restores.js';

export interface DueRestore {
  readonly id: string;
  readonly taskId: string;
  readonly rootId: string;
  readonly tenantId: string;
  readonly workspaceId: string;
  /** Of the tree. */
  readonly workspace: TaskWorkspace;
  /** It works in a folder of the user's own. */
  readonly dryRun: boolean;
  /** The checkpoint of the state before, once it is recorded. */
  readonly beforeId: string | null;
  readonly target: {
    readonly id: string;
    readonly commit: string;
    readonly files: number;
    readonly leftOut: readonly LeftOutOfCheckpoint[];
  };
}

/** What a restore came to. */
export interface RestoreEnd {
  /** Of the workspace, as it was seen. */
  readonly epoch: number;
  /** Where the files are now; null: they have to be made anew. */
  readonly home: string | null;
  readonly beforeId: string | null;
  /** The restored state; null when nothing had to be changed. */
  readonly after: Omit<NewCheckpoint, 'turn'> | null;
  /** Something differs from it that could not be stored. */
  readonly unsaved: boolean;
  readonly files: RestoredFiles;
}

/** A worker that has not been seen for so long is not waited for. */
const GONE_S = 15;

/** What workers have to do: restores of files that have not ended, and the steps to their end. */
export class DueRestores {
  constructor(private readonly options: RestoresOptions) {}

  /** Those that workers of this installation folder can carry out: the files are there, or on no machine that lives. Oldest first. */
  async list(home: string): Promise<readonly DueRestore[]> {
    const { rows } = await this.pool.query<Omit<DueRestore, 'workspace'> & { workspace: unknown }>(
      `SELECT r.id, r.task_id AS "taskId", r.root_id AS "rootId", r.tenant_id AS "tenantId", r.workspace_id AS "workspaceId", t.workspace,
         r.dry_run AS "dryRun", r.before_id AS "beforeId",
         json_build_object('id', c.id, 'commit', c.commit, 'files', c.files, 'leftOut', c.left_out) AS target
       FROM restores r JOIN workspaces w ON w.id = r.workspace_id JOIN tasks t ON t.id = r.root_id JOIN checkpoints c ON c.id = r.checkpoint_id
       WHERE r.ended_at IS NULL AND (w.home IS NULL OR w.home = $1 OR NOT EXISTS (
         SELECT FROM workers k WHERE k.home = w.home AND k.seen_at > now() - ${GONE_S} * interval '1 second'))
       ORDER BY r.created_at LIMIT 20`,
      [home],
    );
    return rows.map((row) => ({
      ...row,
      workspace: columnOf(TaskWorkspace, row.workspace, {
        table: 'tasks',
        id: row.rootId,
        column: 'workspace',
      }),
    }));
  }

  /** Counts a try of one that is still to be done; null when it is not. To be called where nobody else can begin. */
  async begin(id: string): Promise<{ readonly tries: number; readonly beforeId: string | null } | null> {
    const { rows } = await this.pool.query<{ tries: number; beforeId: string | null }>(
      'UPDATE restores SET tries = tries + 1 WHERE id = $1 AND ended_at IS NULL RETURNING tries, before_id AS "beforeId"',
      [id],
    );
    return rows[0] ?? null;
  }

  /** The task's own steps since a checkpoint, as the states before and after each; what lies between them others did. */
  async stepsSince(
    workspaceId: string,
    checkpointId: string,
  ): Promise<readonly { before: string; after: string }[]> {
    const { rows } = await this.pool.query<{ before: string; after: string }>(
      `SELECT p.commit AS before, c.commit AS after FROM checkpoints c JOIN checkpoints p ON p.id = c.parent_id
       WHERE c.workspace_id = $1 AND c.number > (SELECT number FROM checkpoints WHERE id = $2) AND c.reason NOT IN ('start', 'before_restore')
       ORDER BY c.number`,
      [workspaceId, checkpointId],
    );
    return rows;
  }

  /** What a dry run found. */
  async looked(id: string, files: RestoredFiles): Promise<void> {
    await this.pool.query(
      'UPDATE restores SET files = $2, ended_at = now() WHERE id = $1 AND ended_at IS NULL',
      [id, pgJson(files)],
    );
  }

  /** Says how to undo it, before any file is touched; `checkpoint` is new unless it is only an id. */
  async recordBefore(id: string, checkpoint: Omit<NewCheckpoint, 'turn'> | string): Promise<void> {
    await this.transact(id, async (client, { task_id: taskId }) => {
      const isNew = typeof checkpoint !== 'string';
      const changes = isNew
        ? await tellTask(client, taskId, {
            type: 'checkpoint.taken',
            data: await takenData(client, taskId, checkpoint),
          })
        : [];
      if (isNew) await insertCheckpoint(client, taskId, checkpoint);
      await client.query('UPDATE restores SET before_id = $2 WHERE id = $1', [
        id,
        isNew ? checkpoint.id : checkpoint,
      ]);
      return { result: null, changes };
    });
  }

  /** Ends it well; gives the workspace's new epoch. `again`: its task runs at the moment. `void`: it has ended, or the workspace has moved. */
  async finish(id: string, end: RestoreEnd): Promise<number | 'again' | 'void'> {
    const result = await this.transact<number | 'again' | 'void'>(id, async (client, row) => {
      const { task_id: taskId, what } = row;
      const place = await placeOf(client, row);
      if (what !== 'files' && place.runs) return unchanged('again');
      const epoch = await settle(client, row.workspace_id, end);
      if (epoch === null) return unchanged('void');
      const cut = what === 'files' ? null : await cutAfter(client, taskId, place);
      const dropped = await dropLater(client, taskId, cut, false, this.options.newId);
      const told = await tellTask(client, taskId, {
        type: 'workspace.restored',
        data: restoredData(row, end),
      });
      if (end.after !== null) await insertCheckpoint(client, taskId, end.after);
      const history = what === 'files' ? null : { turn: place.turn, messages: cut?.messages ?? 0 };
      await client.query(
        `UPDATE restores SET ended_at = now(), before_id = $2, after_id = $3, files = $4, history = $5 WHERE id = $1`,
        [id, end.beforeId, end.after?.id ?? end.beforeId, pgJson(end.files), history && pgJson(history)],
      );
      return { result: epoch, changes: [...dropped, ...told] };
    });
    return result ?? 'void';
  }

  /** Ends it badly; nothing is tried again. */
  async fail(id: string, message: string): Promise<void> {
    await this.transact(id, async (client, row) => {
      await client.query('UPDATE restores SET ended_at = now(), failure = $2 WHERE id = $1', [id, message]);
      const data = { checkpointId: row.checkpoint_id, before: row.before_id, message };
      const changes = row.dry_run
        ? []
        : await tellTask(client, row.task_id, { type: 'workspace.restore_failed', data });
      return { result: null, changes };
    });
  }

  private get pool(): Pool {
    return this.options.pool;
  }

  /** With the tree locked; null when the restore has ended. */
  private async transact<R>(
    id: string,
    work: (client: PoolClient, row: RestoreRow) => Promise<Outcome<R>>,
  ): Promise<R | null> {
    const { result, changes } = await inTransaction(this.pool, async (client): Promise<Outcome<R | null>> => {
      const { rows: known } = await client.query<{ root_id: string }>(
        'SELECT root_id FROM restores WHERE id = $1',
        [id],
      );
      if (known[0] === undefined) return unchanged(null);
      await lockSubtree(client, known[0].root_id);
      const { rows } = await client.query<RestoreRow>(
        'SELECT * FROM restores WHERE id = $1 AND ended_at IS NULL FOR UPDATE',
        [id],
      );
      return rows[0] === undefined ? unchanged(null) : work(client, rows[0]);
    });
    tell(this.options.onCommitted, changes);
    return result;
  }
}

/** The place of its checkpoint, and whether its task runs. */
async function placeOf(
  client: PoolClient,
  { task_id: taskId, checkpoint_id: checkpointId }: RestoreRow,
): Promise<HistoryPlace & { readonly runs: boolean }> {
  const { rows } = await client.query<HistoryPlace & { runs: boolean }>(
    `SELECT c.turn, c.message_seq AS "messageSeq", t.state = 'running' AS runs FROM tasks t, checkpoints c WHERE t.id = $1 AND c.id = $2`,
    [taskId, checkpointId],
  );
  return rows[0] as HistoryPlace & { runs: boolean };
}

/** Every agent that knows the workspace by its number finds another one, and is told; what its setup made is still there. Null: it is not what was seen. */
async function settle(
  client: PoolClient,
  workspaceId: string,
  { epoch, home, after, unsaved }: RestoreEnd,
): Promise<number | null> {
  const { rows } = await client.query<{ epoch: number }>(
    `UPDATE workspaces SET epoch = epoch + ($3::text IS NOT NULL)::int, rebuilt_from = coalesce($3, rebuilt_from), home = $4, unsaved = $5,
       setup = CASE WHEN (setup ->> 'epoch')::int = epoch THEN (setup::jsonb || jsonb_build_object('epoch', epoch + ($3::text IS NOT NULL)::int))::json END
     WHERE id = $1 AND epoch = $2 RETURNING epoch`,
    [workspaceId, epoch, after?.id ?? null, home, unsaved],
  );
  return rows[0]?.epoch ?? null;
}

async function takenData(client: PoolClient, taskId: string, checkpoint: Omit<NewCheckpoint, 'turn'>) {
  const { rows } = await client.query<{ turns: number }>('SELECT turns FROM tasks WHERE id = $1', [taskId]);
  const { id: checkpointId, reason, note } = checkpoint;
  return { checkpointId, reason, note, turn: rows[0]?.turns ?? 0, ...sums(checkpoint) };
}

function restoredData(
  { checkpoint_id: checkpointId, what }: RestoreRow,
  { beforeId, after, files }: RestoreEnd,
) {
  return {
    ...{ checkpointId, what, before: beforeId, after: after?.id ?? beforeId, ...sums(after) },
    ...{ kept: files.kept.count, conflicts: files.conflicts.count },
  };
}

function sums(checkpoint: Pick<NewCheckpoint, 'diffstat'> | null) {
  const { files, insertions, deletions } = checkpoint?.diffstat ?? { files: 0, insertions: 0, deletions: 0 };
  return { files, insertions, deletions };
}

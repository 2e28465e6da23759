/** Workspaces as people see them: where they are, what they take, and whether they can be made anew. */
import type { PageQuery, WorkspaceTotals, WorkspaceView } from '@bullpen/contracts';
import type { Pool } from 'pg';
import { WORKER_SEEN_MS } from '../providers/provider-waits.js';
import { BUSY, IN_PLACE } from '../workspaces/workspace-house.js';
import {
  badCursor,
  decodeCursor,
  encodeCursor,
  filterFingerprint,
  toPage,
  type PageKey,
} from './page-cursor.js';

/** What is stored is known to the store alone. */
export type LocatedWorkspace = Omit<WorkspaceView, 'storedBytes'>;
export type LocatedTotals = Omit<WorkspaceTotals, 'storedBytes'>;

interface WorkspaceRow {
  id: string;
  root_id: string;
  title: string;
  kind: WorkspaceView['kind'];
  in_place: boolean;
  home: string | null;
  busy: boolean;
  unsaved: boolean;
  stored: boolean;
  worker_id: string | null;
  host: string | null;
  runs: boolean | null;
  kept_until: Date | null;
  disk_bytes: string | null;
  measured_at: Date | null;
  opened_at: Date;
}

/** A page of a tenant's, the newest first. Throws `invalid_request` for the cursor of another list. */
export async function pageOfWorkspaces(pool: Pool, tenantId: string, query: PageQuery) {
  const fingerprint = filterFingerprint({ list: 'workspaces', tenantId });
  const before = query.after === undefined ? null : idOf(decodeCursor(fingerprint, query.after));
  const values = [tenantId, before, query.limit + 1, WORKER_SEEN_MS];
  const { rows } = await pool.query<WorkspaceRow>(PAGE, values);
  return toPage(rows, query.limit, viewOf, ({ id }) => encodeCursor(fingerprint, [id]));
}

/** Of a tenant's, or of all in the database. */
export async function totalsOfWorkspaces(pool: Pool, tenantId: string | null): Promise<LocatedTotals> {
  const { rows } = await pool.query<LocatedTotals>(
    `SELECT count(*)::int AS workspaces, (count(*) FILTER (WHERE ${ON_DISK}))::int AS "onDisk",
       coalesce(sum(w.disk_bytes) FILTER (WHERE ${ON_DISK}), 0)::float8 AS "diskBytes"
     FROM workspaces w JOIN tasks r ON r.id = w.root_id WHERE r.parent_id IS NULL AND ($1::text IS NULL OR r.tenant_id = $1)`,
    [tenantId],
  );
  return rows[0] ?? { workspaces: 0, onDisk: 0, diskBytes: 0 };
}

/** What packs in the database take: of all trees of a tenant, and of each of some. */
export async function storedInDatabase(
  pool: Pool,
  tenantId: string,
  roots: readonly string[],
): Promise<{ readonly total: number; readonly byRoot: ReadonlyMap<string, number> }> {
  const [all, some] = await Promise.all([
    pool.query<{ total: number }>(
      `SELECT coalesce(sum(p.bytes), 0)::float8 AS total FROM checkpoint_packs p JOIN tasks r ON r.id = p.line
       WHERE r.tenant_id = $1 AND r.parent_id IS NULL AND p.bytes > 0`,
      [tenantId],
    ),
    pool.query<{ line: string; bytes: number }>(
      `SELECT line, sum(bytes)::float8 AS bytes FROM checkpoint_packs WHERE line = ANY ($1) AND bytes > 0 GROUP BY line`,
      [roots],
    ),
  ]);
  return {
    total: all.rows[0]?.total ?? 0,
    byRoot: new Map(some.rows.map(({ line, bytes }) => [line, bytes])),
  };
}

/** Those of the roots given that are the tenant's. */
export async function rootsOfTenant(
  pool: Pool,
  tenantId: string,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM tasks WHERE id = ANY ($1) AND tenant_id = $2',
    [ids, tenantId],
  );
  return new Set(rows.map(({ id }) => id));
}

const ON_DISK = `w.home IS NOT NULL AND NOT ${IN_PLACE}`;

/** $1 tenant, $2 the id before, $3 limit, $4 ms after which a worker that has said nothing does not run. */
const PAGE = `
  SELECT w.id, w.root_id, t.title, ${IN_PLACE} AS in_place, w.home, ${BUSY} AS busy, w.unsaved, w.disk_bytes, w.measured_at, w.opened_at,
    CASE WHEN w.id = w.root_id THEN r.workspace ->> 'kind' ELSE 'subtask' END AS kind,
    w.base IS NOT NULL OR (SELECT true FROM checkpoints c WHERE c.workspace_id = w.id LIMIT 1) IS NOT NULL AS stored,
    k.id AS worker_id, k.host, k.runs,
    (SELECT max(o.ended_at) + k.keep_hours * interval '1 hour' FROM tasks o WHERE o.root_id = w.root_id
     HAVING bool_and(o.state IN ('completed', 'failed', 'cancelled'))) AS kept_until
  FROM workspaces w JOIN tasks t ON t.id = w.id JOIN tasks r ON r.id = w.root_id
  LEFT JOIN LATERAL (
    SELECT k.id, k.host, k.keep_hours, k.stopped_at IS NULL AND k.seen_at > now() - $4::int * interval '1 ms' AS runs
    FROM workers k WHERE k.home = w.home ORDER BY k.stopped_at IS NULL DESC, k.seen_at DESC LIMIT 1
  ) k ON true
  WHERE t.tenant_id = $1 AND ($2::text IS NULL OR w.id < $2) ORDER BY w.id DESC LIMIT $3`;

function idOf([id]: PageKey): string {
  if (typeof id !== 'string') throw badCursor('is not a cursor of this list');
  return id;
}

function viewOf(row: WorkspaceRow): LocatedWorkspace {
  const { in_place: inPlace, unsaved, stored } = row;
  const isHere = row.home !== null && !inPlace;
  return {
    ...{ id: row.id, rootId: row.root_id, title: row.title, kind: row.kind, inPlace, unsaved },
    state: stateOf(row),
    keptUntil: isHere && row.runs ? (row.kept_until?.toISOString() ?? null) : null,
    // Without a stored state it is made as at the beginning, unless something was changed since.
    canRebuild: !inPlace && (stored || !unsaved),
    ...{ host: row.host, workerId: row.worker_id },
    diskBytes: isHere && row.disk_bytes !== null ? Number(row.disk_bytes) : null,
    measuredAt: isHere ? (row.measured_at?.toISOString() ?? null) : null,
    lastUsedAt: row.opened_at.toISOString(),
  };
}

function stateOf({ home, busy, runs }: WorkspaceRow): WorkspaceView['state'] {
  if (home === null) return 'removed';
  if (busy) return 'open';
  return runs ? 'kept' : 'away';
}

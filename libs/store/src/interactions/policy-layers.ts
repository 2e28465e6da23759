/**
 * Layers of the approval policy: of an installation, of a project, of a task's tree. People change whole layers, naming the
 * revision that they read; "approve and remember" adds to what there is, so that two people at once lose nothing.
 */
import { PolicyLayer, PolicyScope, type PolicyView } from '@bullpen/contracts';
import { EMPTY_LAYER, mergeLayer, type PolicyLayers as Layers } from '@bullpen/core';
import type { Pool, PoolClient } from 'pg';
import { pgJson, prepared } from '../steps/sql.js';
import { layersOf } from '../tasks/task-rows.js';
import { Gather, SHARED } from '../database/gather.js';
import { inTransaction } from '../database/transaction.js';

/** Names a layer: `key` is empty for the installation, a folder for a project, the id of the root for a task. */
export interface PolicyPlace {
  readonly tenantId: string;
  readonly scope: PolicyScope;
  readonly key: string;
}

interface Row {
  readonly scope: string;
  readonly key: string;
  readonly layer: unknown;
  readonly revision: number;
  readonly updated_at: Date;
  readonly updated_by: string;
}

/** Where a task stands: null where it has no project, or is not there yet. */
type Around = readonly [tenantId: string, projectKey: string | null, rootId: string | null];
type Found = Pick<Row, 'scope' | 'layer'>;

/** Safe for any number of processes at once. */
export class PolicyLayerStore {
  private readonly looks: Gather<Around, Found[]>;

  constructor(private readonly pool: Pool) {
    this.looks = new Gather({ work: (places) => this.lookAround(places), ...SHARED });
  }

  /** The layers that hold for a task, in one look, which those share that ask at the same moment. */
  async around(...place: Around): Promise<Layers> {
    const found = await this.looks.ask(place);
    return layersOf(Object.fromEntries(found.map(({ scope, layer }) => [scope, layer])));
  }

  /** Most of those that ask together stand at the same place, which is looked at once. */
  private async lookAround(places: readonly Around[]): Promise<Found[][]> {
    const keys = places.map((place) => place.join('\0'));
    const distinct = [...new Set(keys)];
    const columns = [0, 1, 2].map((n) => distinct.map((key) => places[keys.indexOf(key)]?.[n]));
    const { rows } = await this.pool.query<Found & { place: number }>(prepared('read-policies', columns));
    return keys.map((key) => rows.filter(({ place }) => place === distinct.indexOf(key) + 1));
  }

  /** All layers of a tenant: the installation's, then projects and tasks by their keys. */
  async list(tenantId: string): Promise<PolicyView[]> {
    const { rows } = await this.pool.query<Row>(
      'SELECT * FROM policy_layers WHERE tenant_id = $1 ORDER BY scope, key',
      [tenantId],
    );
    return rows.map(viewOf);
  }

  /** One layer; null when nobody has written it. */
  async get({ tenantId, scope, key }: PolicyPlace): Promise<PolicyView | null> {
    const { rows } = await this.pool.query<Row>(
      'SELECT * FROM policy_layers WHERE tenant_id = $1 AND scope = $2 AND key = $3',
      [tenantId, scope, key],
    );
    return rows[0] === undefined ? null : viewOf(rows[0]);
  }

  /** Writes a whole layer. Null when `revision` (0: none yet) is not the current one: somebody was faster. */
  async put(
    place: PolicyPlace,
    layer: PolicyLayer,
    revision: number,
    by: string,
  ): Promise<PolicyView | null> {
    const { tenantId, scope, key } = place;
    const { rows } = await this.pool.query<Row>(
      prepared('put-policy', [tenantId, scope, key, pgJson(layer), revision, by]),
    );
    return rows[0] === undefined ? null : viewOf(rows[0]);
  }

  /** Deletes a layer; returns what it was, or null when there was none. */
  async remove({ tenantId, scope, key }: PolicyPlace): Promise<PolicyView | null> {
    const { rows } = await this.pool.query<Row>(
      'DELETE FROM policy_layers WHERE tenant_id = $1 AND scope = $2 AND key = $3 RETURNING *',
      [tenantId, scope, key],
    );
    return rows[0] === undefined ? null : viewOf(rows[0]);
  }

  /** Adds to a layer, which is made when there is none. */
  async remember(place: PolicyPlace, patch: PolicyLayer, by: string): Promise<PolicyView> {
    return inTransaction(this.pool, (client) => rememberWithin(client, place, patch, by));
  }
}

/** `remember` as a part of a larger transaction, such as the one that stores the answer it came with. Locks the layer's row. */
export async function rememberWithin(
  client: PoolClient,
  { tenantId, scope, key }: PolicyPlace,
  patch: PolicyLayer,
  by: string,
): Promise<PolicyView> {
  // Made first, so that there is a row to lock for the first two who come at once.
  await client.query(
    `INSERT INTO policy_layers (tenant_id, scope, key, layer, revision, updated_by) VALUES ($1, $2, $3, $4, 0, $5)
     ON CONFLICT DO NOTHING`,
    [tenantId, scope, key, pgJson(EMPTY_LAYER), by],
  );
  const { rows: present } = await client.query<Row>(
    'SELECT * FROM policy_layers WHERE tenant_id = $1 AND scope = $2 AND key = $3 FOR UPDATE',
    [tenantId, scope, key],
  );
  const layer = mergeLayer(PolicyLayer.parse(present[0]?.layer), patch);
  const { rows } = await client.query<Row>(
    `UPDATE policy_layers SET layer = $4, revision = revision + 1, updated_at = now(), updated_by = $5
     WHERE tenant_id = $1 AND scope = $2 AND key = $3 RETURNING *`,
    [tenantId, scope, key, pgJson(layer), by],
  );
  if (rows[0] === undefined) throw new Error(`The policy of ${scope} ${key} is gone while it is locked`);
  return viewOf(rows[0]);
}

function viewOf(row: Row): PolicyView {
  return {
    scope: PolicyScope.parse(row.scope),
    key: row.key,
    layer: PolicyLayer.parse(row.layer),
    revision: row.revision,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
  };
}

/** Workspaces of a tenant, with what is stored of them. */
import { packStoreAt } from '@bullpen/checkpoints';
import type { PageQuery, WorkspacePage } from '@bullpen/contracts';
import type { PackStore, StoredLine } from '@bullpen/core';
import {
  pageOfWorkspaces,
  PostgresPackStore,
  rootsOfTenant,
  storedInDatabase,
  totalsOfWorkspaces,
  type Principal,
} from '@bullpen/store';
import { Inject, Injectable } from '@nestjs/common';
import { POOL, SETTINGS, type GatewaySettings, type Pool } from '../http/tokens.js';

/** Looking through a whole store takes its time: what was found may be so old. */
const FRESH_MS = 15_000;

@Injectable()
export class WorkspacesService {
  readonly #inDatabase: boolean;
  readonly #packs: PackStore;
  #lines: { readonly at: number; readonly found: Promise<readonly StoredLine[]> } | null = null;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(SETTINGS) { CHECKPOINT_STORE: place }: GatewaySettings,
  ) {
    this.#inDatabase = place === 'postgres';
    this.#packs = packStoreAt(place, () => new PostgresPackStore(pool));
  }

  async list({ tenantId }: Principal, query: PageQuery): Promise<WorkspacePage> {
    const [page, totals] = await Promise.all([
      pageOfWorkspaces(this.pool, tenantId, query),
      totalsOfWorkspaces(this.pool, tenantId),
    ]);
    const roots = page.data.map(({ rootId }) => rootId);
    const stored = await (this.#inDatabase
      ? storedInDatabase(this.pool, tenantId, roots)
      : this.#storedElsewhere(tenantId));
    // The objects of a tree are shared by its workspaces.
    const storedBytesOf = (id: string, rootId: string) =>
      id === rootId ? (stored.byRoot.get(id) ?? 0) : null;
    return {
      ...page,
      data: page.data.map((one) => ({ ...one, storedBytes: storedBytesOf(one.id, one.rootId) })),
      totals: { ...totals, storedBytes: stored.total },
    };
  }

  async #storedElsewhere(tenantId: string) {
    const lines = await this.#allLines();
    const ids = lines.map(({ line }) => line);
    const ownIds = await rootsOfTenant(this.pool, tenantId, ids);
    const own = lines.filter(({ line }) => ownIds.has(line));
    return {
      total: own.reduce((sum, { bytes }) => sum + bytes, 0),
      byRoot: new Map(own.map(({ line, bytes }) => [line, bytes])),
    };
  }

  #allLines(): Promise<readonly StoredLine[]> {
    if (this.#lines === null || Date.now() - this.#lines.at > FRESH_MS) {
      const found = this.#packs.lines();
      this.#lines = { at: Date.now(), found };
      found.catch(() => (this.#lines = null));
    }
    return this.#lines.found;
  }
}

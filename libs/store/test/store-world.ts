/** A database of its own with the store, the commands of people and the repairs on it, for specs. There are two tenants. */
import type { CommitEffects } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import type { Lease } from '@bullpen/core';
import {
  checkInvariants,
  createPool,
  createPrisma,
  PostgresTaskStore,
  StoreReconciler,
  TaskCommands,
  type Prisma,
} from '@bullpen/store';
import { type NewRootTask } from '../src/tasks/birth.js';
import { aDefinition, testDatabase, type TestDatabase } from '@bullpen/testing';
import type { Pool, QueryConfig } from 'pg';

export interface StoreWorldOptions {
  /** @defaultValue 12 */
  readonly connections?: number;
  /** In ms. @defaultValue 15,000 */
  readonly leaseMs?: number;
}

export class StoreWorld {
  readonly pool: Pool;
  readonly prisma: Prisma;
  readonly store: PostgresTaskStore;
  readonly commands: TaskCommands;
  readonly reconciler: StoreReconciler;
  /** What commits told of, oldest first; a spec empties it. */
  effects: CommitEffects[] = [];

  private constructor(
    readonly database: TestDatabase,
    { connections = 12, leaseMs = 15_000 }: StoreWorldOptions,
  ) {
    this.pool = createPool({ databaseUrl: database.url, max: connections, applicationName: 'store-world' });
    this.prisma = createPrisma({ databaseUrl: database.url });
    const parts = {
      pool: this.pool,
      newId,
      onCommitted: (effects: CommitEffects) => void this.effects.push(effects),
    };
    this.store = new PostgresTaskStore({ ...parts, leaseMs });
    this.commands = new TaskCommands(parts);
    this.reconciler = new StoreReconciler(parts);
  }

  static async open(options: StoreWorldOptions = {}): Promise<StoreWorld> {
    const world = new StoreWorld(await testDatabase(), options);
    await world.pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D'), ('other', 'O')`);
    return world;
  }

  /** What a root task is made of. */
  task(over: Partial<NewRootTask> = {}): NewRootTask {
    return {
      ...{ id: newId('task'), tenantId: 'default', title: 'T', definition: aDefinition(), prompt: 'P' },
      ...{ input: null, workspace: { kind: 'empty' }, priority: 0, runAt: null, tags: [], metadata: {} },
      ...over,
    };
  }

  /** A queued root task; gives its id. */
  async create(over: Partial<NewRootTask> = {}): Promise<string> {
    return (await this.commands.create(this.task(over))).taskId;
  }

  /** @throws Error when there is nothing to claim */
  async claim(id: string, wake = 1, workerId = 'worker_a'): Promise<Lease> {
    const lease = await this.store.claim(id, wake, workerId);
    if (!lease) throw new Error(`There is no wake ${wake} of ${id} to claim`);
    return lease;
  }

  /** A root task that runs. */
  async running(over: Partial<NewRootTask> = {}): Promise<Lease> {
    return this.claim(await this.create(over));
  }

  /** Is told of each statement that the pool is given from now on; what it returns is sent in its place. */
  hear(tell: (statement: QueryConfig) => QueryConfig): void {
    const query = this.pool.query.bind(this.pool) as (...args: unknown[]) => unknown;
    Object.assign(this.pool, {
      query: (statement: string | QueryConfig, ...more: unknown[]) =>
        query(typeof statement === 'string' ? statement : tell(statement), ...more),
    });
  }

  /** The invariants that do not hold. */
  async broken(): ReturnType<typeof checkInvariants> {
    return (await checkInvariants(this.pool)).filter(({ holds }) => !holds);
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.end(), this.prisma.$disconnect()]);
    await this.database.drop();
  }
}

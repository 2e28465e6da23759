/** Worlds in a real Postgres: the store, the commands and the reconciler of the product, each with connections that can fail. */
import { type AgentDefinition, AppError, type Wake, type CommitEffects } from '@bullpen/contracts';
import type { InboxMessage, Lease, TaskStore } from '@bullpen/core';
import { checkInvariants, PostgresTaskStore, StoreReconciler, TaskCommands } from '@bullpen/store';
import type { Backend, OpenedWait, TellWakes, WorldView } from '../sweep/backend.js';
import { Actor } from '../sweep/scheduler.js';
import type { Surroundings } from '../sweep/surroundings.js';
import { type AtStatement, FaultyPool, type Pool } from './faulty-pool.js';
import { viewOfTree } from './postgres-view.js';

/** Real time plays no part: leases run out and waits fall due when the world says so. */
const LEASE_MS = 3_600_000;
/** Whose tasks they are; see `addTenant`. */
export const TENANT = 'faults';

export interface PostgresBackendOptions {
  /** A pool on a database that no other world uses at the same time. */
  readonly pool: Pool;
  readonly tell: TellWakes;
  readonly world: Surroundings;
}

export class PostgresBackend implements Backend {
  /** Steps of several tasks share commits here. */
  readonly slots = 3;
  private readonly commands: TaskCommands;
  private readonly reconciler: StoreReconciler;
  private moved: Wake[] = [];

  constructor(private readonly options: PostgresBackendOptions) {
    const gateway = this.connections(new Actor('gateway'));
    this.commands = new TaskCommands({ ...gateway, newId: (prefix) => options.world.newId(prefix) });
    const { pool, onCommitted } = this.connections(new Actor('reconciler'));
    this.reconciler = new StoreReconciler({
      pool,
      // Deadlines of a world have passed since 1970, its tasks are never too late to sum up.
      sumUpMs: 100 * 366 * 86_400_000,
      onCommitted: (effects) => {
        this.moved.push(...effects.wakes);
        onCommitted(effects);
      },
    });
  }

  storeOf(actor: Actor): TaskStore {
    const newId = (prefix: 'msg') => this.options.world.newId(prefix);
    return new PostgresTaskStore({ ...this.connections(actor), leaseMs: LEASE_MS, newId });
  }

  /** As a client does it: tries until it is told that the task is stored. A lost connection here means that nothing was. */
  async create(id: string, definition: AgentDefinition, prompt: string): Promise<void> {
    const place = { tenantId: TENANT, workspace: { kind: 'empty' as const } };
    const rest = { input: null, priority: 0, runAt: null, tags: [], metadata: {} };
    const task = { id, title: prompt, definition, prompt, ...place, ...rest };
    while ((await unlessCut(this.commands.create(task), null)) === null);
  }

  async cancel(taskId: string): Promise<boolean> {
    const result = await unlessCut(this.commands.cancel(TENANT, taskId, 'enough'), 'not_found');
    return result === 'cancelled' || result === 'requested';
  }

  async cancelledAttempt(taskId: string): Promise<number | null> {
    const { rows } = await this.options.pool.query<{ attempt: number }>(
      `SELECT attempt FROM tasks WHERE id = $1 AND (state = 'cancelled' OR cancel_requested_at IS NOT NULL)`,
      [taskId],
    );
    return rows[0]?.attempt ?? null;
  }

  async send(taskId: string, message: InboxMessage): Promise<boolean> {
    return (await unlessCut(this.commands.sendMessage(TENANT, taskId, message), 'not_found')) === 'queued';
  }

  async pause(taskId: string, now: boolean): Promise<boolean> {
    const result = await unlessCut(this.commands.pause(TENANT, taskId, now), 'not_found');
    return result === 'paused' || result === 'requested';
  }

  async resume(taskId: string): Promise<'done' | 'ended' | 'unknown'> {
    const result = await unlessCut(this.commands.resume(TENANT, taskId), 'unknown' as const);
    if (result === 'unknown') return result;
    return result === 'already_ended' || result === 'not_found' ? 'ended' : 'done';
  }

  async interrupt(
    taskId: string,
    message: InboxMessage,
  ): Promise<'interrupted' | 'paused' | 'ended' | 'unknown'> {
    const result = await unlessCut(this.commands.interrupt(TENANT, taskId, message), 'unknown' as const);
    return result === 'already_ended' || result === 'not_found' ? 'ended' : result;
  }

  /** Before both clocks, the database's and the world's. */
  async passDeadline(taskId: string): Promise<void> {
    await this.options.pool.query('UPDATE tasks SET deadline_at = to_timestamp(0) WHERE id = $1', [taskId]);
  }

  async loseLease({ taskId, epoch }: Lease): Promise<void> {
    await this.options.pool.query(
      `UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1 AND epoch = $2 AND state = 'running'`,
      [taskId, epoch],
    );
  }

  async makeDue({ waitId }: OpenedWait): Promise<void> {
    await this.options.pool.query(
      `UPDATE waits SET due_at = now() - interval '1 second' WHERE id = $1 AND satisfied_at IS NULL`,
      [waitId],
    );
  }

  async expireLeases(): Promise<readonly string[]> {
    this.moved = [];
    await unlessCut(this.reconciler.expireLeases(), 0);
    return this.moved.map(({ taskId }) => taskId);
  }

  async fireDueWaits(): Promise<void> {
    await unlessCut(this.reconciler.fireDueWaits(), 0);
    await unlessCut(this.reconciler.wakeProviderWaits(), 0);
    await unlessCut(this.reconciler.wakeBudgetWaits(), 0);
  }

  async endOverdue(): Promise<void> {
    await unlessCut(this.reconciler.endOverdue(), 0);
  }

  async dueWakes(): Promise<readonly Wake[]> {
    // Past the fair order on purpose: it has specs of its own, and here every wake must come in every order.
    const { rows } = await this.options.pool.query<Wake>(
      `SELECT task_id AS "taskId", wake FROM dispatches WHERE run_at <= now()`,
    );
    return rows;
  }

  async allEnded(): Promise<boolean> {
    const { rows } = await this.options.pool.query<{ open: bigint }>(
      `SELECT count(*) AS open FROM tasks WHERE root_id = $1 AND state NOT IN ('completed', 'failed', 'cancelled')`,
      [this.options.world.rootId],
    );
    return rows[0]?.open === 0n;
  }

  view(): Promise<WorldView> {
    return viewOfTree(this.options.pool, this.options.world.rootId);
  }

  /** The product's own invariants, that attempts end with their tasks, and that a claim takes its dispatch along: what is left would be announced for ever. */
  async selfCheck(): Promise<readonly string[]> {
    const reports = await checkInvariants(this.options.pool);
    const { rows } = await this.options.pool.query<{ id: string }>(
      `SELECT t.id FROM tasks t JOIN attempts a ON a.task_id = t.id AND a.number = t.attempt
       WHERE (t.ended_at IS NULL) <> (a.ended_at IS NULL)`,
    );
    const left = await this.options.pool.query<{ id: string; state: string }>(
      `SELECT t.id, t.state FROM tasks t JOIN dispatches d ON d.task_id = t.id AND d.wake <= t.wake WHERE t.state <> 'queued'`,
    );
    return [
      ...reports.flatMap(({ id, violations }) => violations.map((text) => `${id}: ${text}`)),
      ...left.rows.map(({ id, state }) => `${id} is ${state}, and its dispatch row is still there`),
      ...rows.map(({ id }) => `the attempt of ${id} does not end with it`),
    ];
  }

  /** At each moment a queued task has a dispatch row: without one, a lost announcement would lose the task. */
  private async checkDispatches(): Promise<void> {
    const { pool, world } = this.options;
    const { rows } = await pool.query<{ id: string; wake: number }>(
      `SELECT id, wake FROM tasks t WHERE root_id = $1 AND state = 'queued'
         AND NOT EXISTS (SELECT FROM dispatches d WHERE d.task_id = t.id AND d.wake = t.wake)`,
      [world.rootId],
    );
    for (const { id, wake } of rows)
      world.witness.object('lost', `${id} is queued for wake ${wake} and has no dispatch row`);
  }

  /** What a process has: a pool, and somebody to tell what was committed. */
  private connections(actor: Actor) {
    const { world, tell, pool } = this.options;
    const atStatement: AtStatement = (name) => {
      if (actor.state === 'dead') return 'die';
      const verdict = world.decide({ actor, label: name, kind: 'statement' });
      if (verdict !== 'go') world.trace(() => `${actor.name} ${verdict}: before ${name}`);
      return verdict === 'stall' ? 'go' : verdict;
    };
    // No step is taken before it has arrived; who asked hears of a failure.
    const faulty = new FaultyPool(pool, atStatement, (answer) => {
      void world.scheduler.real(answer).catch(() => undefined);
    });
    const onCommitted = (effects: CommitEffects) => {
      if (faulty.isInside)
        world.witness.object('lost', `${actor.name} told of a step that was not stored yet`);
      if (effects.wakes.length > 0) world.background(this.checkDispatches());
      tell(effects.wakes);
    };
    return { pool: faulty.asPool(), onCommitted };
  }
}

/** Before the first world in a database. */
export async function addTenant(pool: Pool): Promise<void> {
  await pool.query('INSERT INTO tenants (id, name) VALUES ($1, $1) ON CONFLICT DO NOTHING', [TENANT]);
}

/** The answer, or `otherwise` when the connection was lost. */
async function unlessCut<T, U>(work: Promise<T>, otherwise: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === 'database_unreachable') return otherwise;
    throw error;
  }
}

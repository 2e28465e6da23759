/**
 * One parent and a great many subtasks on the product's store, queue and announcer, in this process. Agents are played: each subtask is
 * one step, the parent spawns, waits and sums up. What costs nothing here would cost hours with a model.
 */
import { rm, mkdtemp, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyStep, type Lease } from '@bullpen/core';
import { newId, silentLogger } from '@bullpen/platform';
import {
  Announcer,
  openEventBus,
  openTaskQueue,
  QueueWorker,
  type EventBus,
  type QueueConnection,
  type TaskQueue,
} from '@bullpen/queue';
import {
  checkInvariants,
  createPool,
  Dispatches,
  PostgresTaskStore,
  seeWorker,
  TaskCommands,
} from '@bullpen/store';
import { testRedis, type TestRedis } from '@bullpen/testing/harness';
import type { DrillContext } from '../drill.js';
import { DrillDatabase } from './database.js';
import { answered, call, definition, message, toolResult, toolUse } from './fan-in-rows.js';

const WORKERS = 2;
const SLOTS = 8;
/** Subtasks that one turn of the parent spawns. */
const A_TURN = 500;
/** Ends of subtasks that may be missing after this time without any. */
const PATIENCE_MS = 60_000;
const DONE = { state: 'completed', cause: 'goal', partial: false, failure: null } as const;

export class FanIn {
  private readonly parentId = newId('task');
  private readonly pool: ReturnType<typeof createPool>;
  private readonly queue: TaskQueue;
  private readonly bus: EventBus;
  private readonly announcer: Announcer;
  private readonly store: PostgresTaskStore;
  private readonly commands: TaskCommands;
  private readonly workers: QueueWorker[] = [];
  private readonly violations: string[] = [];
  private readonly definition = definition();
  private childIds: string[] = [];
  private runsOfParent = 0;
  private parentRuns = false;
  private runningChildren = 0;
  private mostChildren = 0;
  private ends = 0;

  private constructor(
    private readonly context: DrillContext,
    private readonly folder: string,
    private readonly database: DrillDatabase,
    private readonly redis: TestRedis | null,
  ) {
    const connection: QueueConnection = redis
      ? { kind: 'redis', redisUrl: redis.url, prefix: 'fan-in' }
      : { kind: 'postgres', databaseUrl: database.url };
    const logger = silentLogger();
    this.pool = createPool({
      databaseUrl: database.url,
      max: WORKERS * SLOTS + 4,
      applicationName: 'fan-in',
    });
    this.queue = openTaskQueue(connection, logger);
    this.bus = openEventBus(connection, logger);
    const { queue, bus, pool } = this;
    this.announcer = new Announcer({ queue, bus, backlog: new Dispatches(pool), logger });
    const onCommitted = this.announcer.committed.bind(this.announcer);
    this.store = new PostgresTaskStore({ pool, leaseMs: 600_000, newId, onCommitted });
    this.commands = new TaskCommands({ pool, newId, onCommitted });
    for (let at = 0; at < WORKERS; at += 1) {
      const name = newId('worker');
      const activate = ({ taskId, wake }: { taskId: string; wake: number }) =>
        this.activate(taskId, wake, name);
      this.workers.push(new QueueWorker({ connection, slots: SLOTS, logger, name, activate }));
    }
  }

  static async start(context: DrillContext): Promise<FanIn> {
    const folder = await mkdtemp(join(tmpdir(), 'bullpen-fan-in-'));
    await chmod(folder, 0o755); // Postgres runs as another user when we are root.
    const database = await DrillDatabase.start(join(folder, 'database'), false);
    const redis = context.backend === 'redis' ? await testRedis() : null;
    return new FanIn(context, folder, database, redis);
  }

  /** Lives until everything has ended or nothing moves; gives what was wrong. */
  async run(children: number): Promise<readonly string[]> {
    this.childIds = Array.from({ length: children }, () => newId('task'));
    await this.pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D') ON CONFLICT DO NOTHING`);
    await this.sayHello();
    await this.commands.create({
      ...{
        id: this.parentId,
        tenantId: 'default',
        title: 'parent',
        definition: this.definition,
        prompt: 'Fan out.',
      },
      ...{ input: null, workspace: { kind: 'empty' }, priority: 0, runAt: null, tags: [], metadata: {} },
    });
    for (const worker of this.workers) worker.start();
    const startedAt = performance.now();
    await this.untilOver(children);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    this.context.log(`${this.ends} subtasks ended in ${seconds} s, at most ${this.mostChildren} at a time`);
    await this.judge(children);
    return this.violations;
  }

  /** Tasks that have not ended. */
  async open(): Promise<number> {
    return this.count(`state NOT IN ('completed', 'failed', 'cancelled')`);
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.close(5_000)));
    await this.announcer.settled();
    await Promise.all([this.queue.close(), this.bus.close()]);
    await this.pool.end();
    await Promise.all([this.redis?.stop(), this.database.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Dispatch rounds count the slots of workers that were seen lately. */
  private async sayHello(): Promise<void> {
    for (const [at] of this.workers.entries())
      await seeWorker(this.pool, {
        ...{ id: `worker_${at}`, host: 'here', pid: process.pid, slots: SLOTS, running: 0 },
        ...{ version: '0', simulated: true, providerKey: 'none', sandbox: 'none' },
      });
  }

  private async untilOver(children: number): Promise<void> {
    let before = -1;
    let movedAt = performance.now();
    while (this.ends < children + 1 && performance.now() - movedAt < PATIENCE_MS) {
      if (this.ends !== before) movedAt = performance.now();
      before = this.ends;
      await this.sayHello();
      if (this.runsOfParent === 1 && !this.parentRuns && this.ends < children) await this.lookAtParent();
      await sleep(1_000, undefined, { signal: this.context.signal });
    }
  }

  /** While it waits it holds neither a lease nor a slot. */
  private async lookAtParent(): Promise<void> {
    const { rows } = await this.pool.query<{ holds: boolean; state: string }>(
      'SELECT state, worker_id IS NOT NULL OR lease_expires_at IS NOT NULL AS holds FROM tasks WHERE id = $1',
      [this.parentId],
    );
    if (rows[0]?.state === 'waiting' && rows[0].holds)
      this.violations.push('the parent waits and holds a lease');
  }

  private async activate(taskId: string, wake: number, worker: string): Promise<void> {
    const lease = await this.store.claim(taskId, wake, worker);
    try {
      if (lease === null) return;
      if (taskId === this.parentId) await this.runParent(lease);
      else await this.runChild(lease);
    } catch (error) {
      this.violations.push(`a run of ${taskId} threw: ${String(error)}`);
    } finally {
      void this.announcer.dispatch();
    }
  }

  private async runChild(lease: Lease): Promise<void> {
    this.runningChildren += 1;
    this.mostChildren = Math.max(this.mostChildren, this.runningChildren);
    const messages = [message(2, 1, 'assistant', [{ type: 'text', text: 'ok' }], 'end_turn')];
    const end = { kind: 'finish' as const, outcome: { ...DONE, output: 'ok' } };
    const result = await this.store.commit(lease, {
      ...emptyStep(),
      ...answered(1),
      messages,
      patch: { turns: 1 },
      end,
    });
    this.runningChildren -= 1;
    if (result.kind === 'committed') this.ends += 1;
    else this.violations.push(`a subtask could not end: ${result.kind}`);
  }

  private async runParent(lease: Lease): Promise<void> {
    this.runsOfParent += 1;
    this.parentRuns = true;
    if (this.runsOfParent === 1) await this.spawnAndWait(lease);
    else await this.sumUp(lease);
    this.parentRuns = false;
  }

  private async spawnAndWait(lease: Lease): Promise<void> {
    let seq = 1;
    let turn = 0;
    for (let from = 0; from < this.childIds.length; from += A_TURN) {
      turn += 1;
      const ids = this.childIds.slice(from, from + A_TURN);
      const asked = message(
        (seq += 1),
        turn,
        'assistant',
        ids.map((id) => toolUse(id, 'spawn_subtask')),
        'tool_use',
      );
      const calls = ids.map((id, at) => call(asked, at, id, 'spawn_subtask', lease.epoch));
      const told = message(
        (seq += 1),
        turn,
        'user',
        ids.map((id) => toolResult(id, id)),
        null,
      );
      const children = ids.map((id, at) => ({
        ...{ id, callId: calls[at]?.id ?? '', title: id, prompt: 'Say ok.', input: null },
        definition: this.definition,
      }));
      const step = {
        ...emptyStep(),
        ...answered(turn),
        messages: [asked, told],
        toolCalls: calls,
        children,
        patch: { turns: turn },
      };
      const result = await this.store.commit(lease, step);
      if (result.kind !== 'committed') this.violations.push(`the parent could not spawn: ${result.kind}`);
    }
    turn += 1;
    const asked = message(seq + 1, turn, 'assistant', [toolUse('all', 'wait_for_subtasks')], 'tool_use');
    const waiting = {
      ...call(asked, 0, 'all', 'wait_for_subtasks', lease.epoch),
      status: 'calling' as const,
    };
    const wait = {
      reason: 'children' as const,
      mode: 'all' as const,
      childIds: this.childIds,
      dueInMs: null,
    };
    await this.store.commit(lease, {
      ...emptyStep(),
      ...answered(turn),
      messages: [asked],
      toolCalls: [waiting],
      patch: { turns: turn },
    });
    const end = { kind: 'suspend' as const, waitId: newId('wait'), wait };
    const result = await this.store.commit(lease, { ...emptyStep(), end });
    if (result.kind !== 'committed') this.violations.push(`the parent could not wait: ${result.kind}`);
  }

  /** Woken: all subtasks must have ended by now. */
  private async sumUp(lease: Lease): Promise<void> {
    const outcomes = await this.store.children(this.parentId, this.childIds);
    const done = outcomes.filter(({ state }) => state === 'completed').length;
    if (done !== this.childIds.length)
      this.violations.push(`the parent was woken when ${done} of ${this.childIds.length} subtasks had ended`);
    const snapshot = await this.store.load(lease);
    const [waiting] = snapshot?.toolCalls ?? [];
    const seq = snapshot?.messages.length ?? 0;
    const turn = (snapshot?.task.turns ?? 0) + 1;
    const told = message(seq + 1, turn - 1, 'user', [toolResult('all', `${done} have ended`)], null);
    const said = message(seq + 2, turn, 'assistant', [{ type: 'text', text: `${done}` }], 'end_turn');
    const closed = waiting
      ? [{ ...waiting, status: 'done' as const, output: `${done}`, endedAt: new Date() }]
      : [];
    const end = { kind: 'finish' as const, outcome: { ...DONE, output: `${done}` } };
    const wrote = { messages: [told, said], toolCalls: closed, patch: { turns: turn } };
    const step = { ...emptyStep(), ...answered(turn), ...wrote, end };
    const result = await this.store.commit(lease, step);
    if (result.kind === 'committed') this.ends += 1;
  }

  private async judge(children: number): Promise<void> {
    const check = (holds: boolean, text: string) => holds || this.violations.push(text);
    check(this.ends === children + 1, `${this.ends} of ${children + 1} tasks have ended`);
    check(this.runsOfParent === 2, `the parent ran ${this.runsOfParent} times, not to spawn and to sum up`);
    const { rows } = await this.pool.query<{ wake: number; epoch: number; heard: number }>(
      `SELECT wake, epoch, (SELECT count(*)::int FROM ui_events e WHERE e.task_id = t.id AND e.type = 'subtask.ended') AS heard
       FROM tasks t WHERE id = $1`,
      [this.parentId],
    );
    const [parent] = rows;
    check(parent?.wake === 2 && parent.epoch === 2, `the parent was woken ${(parent?.wake ?? 0) - 1} times`);
    check(parent?.heard === children, `the parent heard of ${parent?.heard} ends`);
    check(this.mostChildren > SLOTS, `at most ${this.mostChildren} subtasks ran at a time`);
    check((await this.count('epoch > 1 AND parent_id IS NOT NULL')) === 0, 'a subtask was run twice');
    for (const { id, violations } of await checkInvariants(this.pool))
      for (const violation of violations) this.violations.push(`${id}: ${violation}`);
  }

  private async count(where: string): Promise<number> {
    const { rows } = await this.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM tasks WHERE ${where}`,
    );
    return rows[0]?.count ?? 0;
  }
}

/**
 * A conversation that outgrows its window again and again, on the real store, with workers that die at any commit. Then its newest exchange is taken back: what
 * is sent after it has to begin with the very bytes that were sent before it.
 */
import { createHash } from 'node:crypto';
import type { AgentDefinition } from '@bullpen/contracts';
import {
  builtInProfile,
  defineTool,
  NO_SECRETS,
  OPEN_GATE,
  runTask,
  success,
  withoutCheckpoints,
  type LoopDeps,
  type TaskStore,
} from '@bullpen/core';
import { approvesAnyCommand } from '@bullpen/core/testing/memory';
import { PostgresTaskStore, StoreReconciler, TaskCommands } from '@bullpen/store';
import { z } from 'zod';
import { addTenant, TENANT } from '../store-sweep/postgres-backend.js';
import type { Pool } from '../store-sweep/faulty-pool.js';
import { definitionOf } from '../sweep/plan.js';
import { Random } from '../sweep/random.js';
import { oddBooks, unreadable } from './check-books.js';
import { WindowModel } from './window-model.js';

/** Deaths of workers in one world. */
const MOST_DEATHS = 4;
const LEASE_MS = 3_600_000;

/** What did not hold in the world of a seed; empty when all was well. */
export async function playWindow(pool: Pool, seed: number): Promise<readonly string[]> {
  const world = new WindowWorld(pool, new Random(seed), `task_window_${seed}`);
  await addTenant(pool);
  return world.play();
}

class WindowWorld {
  private readonly model: WindowModel;
  private readonly window: number;
  private readonly tools;
  private readonly commands: TaskCommands;
  private ids = 0;
  private clock = Date.now();
  private deaths = 0;

  constructor(
    private readonly pool: Pool,
    private readonly random: Random,
    private readonly taskId: string,
  ) {
    this.window = random.between(5_000, 8_000);
    // Half of the providers refuse before the product thinks that it is time.
    this.model = new WindowModel(random.fork(), this.window * (random.chance(0.5) ? 0.75 : 1));
    this.tools = toolsFor(random.between(20, 60));
    this.commands = new TaskCommands({ pool, newId: this.newId });
  }

  async play(): Promise<readonly string[]> {
    const [definition, newId] = [this.definition(), this.newId];
    await this.commands.create({
      ...{
        id: this.taskId,
        tenantId: TENANT,
        title: 'T',
        prompt: 'The task itself. Read until 4.',
        definition,
      },
      ...{ input: null, priority: 0, runAt: null, workspace: { kind: 'empty' }, tags: [], metadata: {} },
    });
    await this.run();
    const before = await this.say(`Read until ${this.random.between(25, 40)}.`);
    const store = new PostgresTaskStore({ pool: this.pool, leaseMs: LEASE_MS, newId });
    const found = [
      ...(await oddBooks(this.pool, this.taskId)),
      ...(await unreadable(store, this.taskId, this.model.sent)),
    ];
    await this.commands.rewind(TENANT, this.taskId, { turns: 1 });
    const after = await this.say('Read until 6.');
    const isSame = JSON.stringify(before?.slice(0, -1)) === JSON.stringify(after?.slice(0, -1));
    if (!isSame) found.push('a rewind did not bring the same bytes back');
    const { rows } = await this.pool.query<{ state: string; said: string | null }>(
      `SELECT state::text, failure ->> 'message' AS said FROM tasks WHERE id = $1`,
      [this.taskId],
    );
    if (rows[0]?.state !== 'waiting') found.push(`the task is ${rows[0]?.state}: ${rows[0]?.said}`);
    return [...this.model.violations, ...found];
  }

  /** Plays an exchange; gives what the first request of it held. */
  private async say(text: string) {
    const at = this.model.sent.length;
    await this.commands.sendMessage(TENANT, this.taskId, { id: this.newId('inbox'), text });
    await this.run();
    return this.model.sent[at];
  }

  /** Until it waits for its user or has ended, whichever worker dies. */
  private async run(): Promise<void> {
    for (;;) {
      const { rows } = await this.pool.query<{ wake: number; state: string }>(
        'SELECT wake, state::text FROM tasks WHERE id = $1',
        [this.taskId],
      );
      const [row] = rows;
      if (row?.state !== 'queued') return;
      const life: Life = { isOver: false };
      const deps = this.deps(life);
      const lease = await deps.store.claim(this.taskId, row.wake, 'worker_window');
      if (lease === null) throw new Error('nothing to claim');
      await runTask(lease, deps, new AbortController().signal).catch((error: unknown) => {
        if (!life.isOver) throw error;
      });
      await this.expire();
    }
  }

  private async expire(): Promise<void> {
    await this.pool.query(
      `UPDATE tasks SET lease_expires_at = now() - interval '1 second' WHERE id = $1 AND state = 'running'`,
      [this.taskId],
    );
    await new StoreReconciler({ pool: this.pool, onCommitted: () => undefined }).expireLeases();
  }

  private definition(): AgentDefinition {
    const base = definitionOf(0);
    const profile = { ...builtInProfile(base.model), contextWindow: this.window, maxOutputTokens: 200 };
    return {
      ...base,
      ...{ conversation: true, profiles: [profile], maxOutputTokens: 200 },
      tools: this.random.chance(0.5) ? ['read_part'] : ['read_part', 'read_tool_output'],
      limits: { ...base.limits, turns: 1_000, costUsd: '1000' },
      retry: { taskAttempts: 3, modelAttempts: 20, baseMs: 10, maxMs: 10 },
    };
  }

  private deps(life: Life): LoopDeps {
    const store = mortal(
      new PostgresTaskStore({ pool: this.pool, leaseMs: LEASE_MS, newId: this.newId }),
      life,
      () => this.deaths < MOST_DEATHS && this.random.chance(0.02) && (this.deaths += 1) > 0,
    );
    return {
      ...{ store, model: this.model, setupTool: this.tools[0], judgeCommand: approvesAnyCommand },
      tools: ({ definition }) =>
        new Map(
          this.tools.flatMap((tool) => (definition.tools.includes(tool.name) ? [[tool.name, tool]] : [])),
        ),
      ...{ gate: OPEN_GATE, masker: NO_SECRETS, newId: this.newId, validate: () => [] },
      priceOf: () => PRICE,
      workspace: () => Promise.resolve(withoutCheckpoints('/nowhere')),
      now: () => (this.clock += 1),
      sleep: () => Promise.resolve(),
      timeout: () => new AbortController().signal,
      random: () => 0.5,
      hash: (content) => createHash('sha256').update(content).digest('hex'),
      ...{ emit: () => undefined, holdsLease: () => true, shouldYield: () => false },
    };
  }

  private readonly newId = (prefix: string): string => `${prefix}_${this.taskId}_${(this.ids += 1)}`;
}

const PRICE = {
  ...{ inputNanoUsd: 3_000n, outputNanoUsd: 15_000n, cacheReadNanoUsd: 300n },
  ...{ cacheWrite5mNanoUsd: 3_750n, cacheWrite1hNanoUsd: 6_000n },
};

function toolsFor(lines: number) {
  const how = { group: 'read', resume: 'repeat' } as const;
  const read = defineTool({
    ...{ name: 'read_part', description: 'Reads a part.', ...how },
    input: z.strictObject({ part: z.int(), half: z.int() }),
    run: ({ part, half }) => success(`Part ${part}, half ${half}: a line of it.\n`.repeat(lines)),
  });
  const again = defineTool({
    ...{ name: 'read_tool_output', description: 'Reads an output again.', ...how },
    input: z.strictObject({ callId: z.string() }),
    run: () => success('What it was.'),
  });
  return [read, again] as const;
}

/** A process that may die right before a commit, or before it hears of it. From then on it reaches nothing. */
interface Life {
  isOver: boolean;
}

function mortal(store: TaskStore, life: Life, dies: () => boolean): TaskStore {
  const live = (mayDie: boolean): void => {
    life.isOver ||= mayDie && dies();
    if (life.isOver) throw new Error('dead');
  };
  return new Proxy(store, {
    get: (target, name: keyof TaskStore) => {
      if (name === 'mayPass' || name === 'isAway') return () => false;
      const method = (target[name] as (...args: unknown[]) => Promise<unknown>).bind(target);
      return async (...args: unknown[]) => {
        live(name === 'commit');
        const result = await method(...args);
        live(name === 'commit');
        return result;
      };
    },
  });
}

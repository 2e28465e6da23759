/** The rule of fair dispatch, on a fleet that is played: slots take wakes in the order announced, and end when the test says so. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@bullpen/platform';
import { createPool, Dispatches, PostgresTaskStore, seeWorker } from '@bullpen/store';
import { testDatabase, type TestDatabase } from '@bullpen/testing';
import type { Pool } from 'pg';

interface Backlog {
  readonly tenant: string;
  readonly count: number;
  readonly parent?: string;
  readonly priority?: number;
  /** Seconds ago; negative: not yet. */
  readonly age?: number;
  /** More than 1: tasks that were started and woken again. */
  readonly wake?: number;
}

let database: TestDatabase;
let pool: Pool;
let dispatches: Dispatches;
let store: PostgresTaskStore;

beforeAll(async () => {
  database = await testDatabase();
  pool = createPool({ databaseUrl: database.url, max: 8, applicationName: 'dispatches-spec' });
  dispatches = new Dispatches(pool);
  store = new PostgresTaskStore({ pool, leaseMs: 600_000, newId });
});
beforeEach(() => pool.query('TRUNCATE tenants, workers, tasks CASCADE'));
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function tenant(id: string, weight = 1, maxRunning: number | null = null): Promise<void> {
  await pool.query('INSERT INTO tenants (id, name, weight, max_running) VALUES ($1, $1, $2, $3)', [
    id,
    weight,
    maxRunning,
  ]);
}

/** Queued tasks with their dispatch rows, as commits leave them. Gives their ids, oldest first. */
async function queued({
  tenant: of,
  count,
  parent,
  priority = 0,
  age = 0,
  wake = 1,
}: Backlog): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('task')).sort();
  await pool.query(
    `WITH born AS (
       INSERT INTO tasks (id, tenant_id, parent_id, parent_call_id, root_id, depth, title, agent, model, definition, prompt, workspace, priority, wake, created_at)
       SELECT n.id, $2, $3, CASE WHEN $3::text IS NOT NULL THEN n.id END, coalesce(p.root_id, n.id), coalesce(p.depth + 1, 0), 'T', 'a', 'm', '{}', 'P', '{}',
              $4, $5, now() - $6 * interval '1 second' - (cardinality($1::text[]) - n.nth) * interval '1 ms'
       FROM unnest($1::text[]) WITH ORDINALITY AS n(id, nth) LEFT JOIN tasks p ON p.id = $3
       RETURNING id, tenant_id, wake, priority, created_at)
     INSERT INTO dispatches (task_id, wake, tenant_id, priority, run_at) SELECT id, wake, tenant_id, priority, created_at FROM born`,
    [ids, of, parent ?? null, priority, wake, age],
  );
  return ids;
}

async function worker(slots: number): Promise<string> {
  const id = newId('worker');
  await seeWorker(pool, {
    id,
    host: 'h',
    pid: 1,
    slots,
    running: 0,
    version: '0',
    simulated: true,
    providerKey: 'none',
    sandbox: 'none',
  });
  return id;
}

/** A worker with a queue before it. */
class Fleet {
  readonly starts: string[] = [];
  readonly queue: string[] = [];
  readonly running: string[] = [];
  most = { announced: 0, running: {} as Record<string, number> };

  private constructor(
    private readonly workerId: string,
    private readonly slots: number,
  ) {}

  static async of(slots: number): Promise<Fleet> {
    return new Fleet(await worker(slots), slots);
  }

  /** A round, and then every free slot takes what is announced. */
  async pump(fresh: readonly string[] = []): Promise<void> {
    const wakes = await dispatches.admit(fresh.map((taskId) => ({ taskId, wake: 1 })));
    for (const { taskId, wake } of wakes) this.queue.push(`${taskId}/${wake}`);
    this.most.announced = Math.max(this.most.announced, this.queue.length);
    while (this.running.length < this.slots) {
      const next = this.queue.shift();
      if (next === undefined) return;
      const [taskId = '', wake = '1'] = next.split('/');
      if ((await store.claim(taskId, Number(wake), this.workerId)) === null) continue;
      this.starts.push(taskId);
      this.running.push(taskId);
    }
  }

  /** The run that began first ends; its slot asks for more. */
  async end(): Promise<void> {
    const id = this.running.shift();
    if (id === undefined) throw new Error('nothing runs');
    await pool.query(
      `UPDATE tasks SET state = 'completed', worker_id = NULL, ended_at = now() WHERE id = $1`,
      [id],
    );
    await this.pump();
  }

  async until(starts: number): Promise<void> {
    await this.pump();
    while (this.starts.length < starts && this.running.length > 0) await this.end();
  }
}

const tenantsOf = async (ids: readonly string[]): Promise<string[]> =>
  (
    await pool.query<{ tenant_id: string }>(
      'SELECT t.tenant_id FROM unnest($1::text[]) WITH ORDINALITY n(id, nth) JOIN tasks t ON t.id = n.id ORDER BY nth',
      [ids],
    )
  ).rows.map((row) => row.tenant_id);
const count = (all: readonly string[], one: string) => all.filter((value) => value === one).length;

describe('the window', () => {
  it('announces a wake at once when there is room, and only once', async () => {
    await tenant('a');
    const fleet = await Fleet.of(2);
    const [id = ''] = await queued({ tenant: 'a', count: 1 });
    await fleet.pump([id]);
    expect(fleet.running).toEqual([id]);
    expect(await dispatches.admit([{ taskId: id, wake: 1 }])).toEqual([]);
  });

  it('holds what fits into the free slots and nothing ahead of them, follows those that become free, and never leaves one idle', async () => {
    await tenant('a');
    await queued({ tenant: 'a', count: 100, age: 10 });
    const fleet = await Fleet.of(4);
    await fleet.pump();
    for (let n = 0; n < 40; n += 1) {
      await fleet.end();
      expect(fleet.running).toHaveLength(4);
      expect(fleet.queue).toEqual([]);
    }
    expect(fleet.most.announced).toBe(4);
  });

  it('lets a tenant that comes to a full house have the next slot', async () => {
    await tenant('a');
    await tenant('b');
    await queued({ tenant: 'a', count: 100, age: 10 });
    const fleet = await Fleet.of(4);
    await fleet.until(20);
    const [late] = await queued({ tenant: 'b', count: 1 });
    await fleet.pump();
    await fleet.end();
    expect(fleet.starts.at(-1)).toBe(late);
  });

  it('counts only workers that live, and gives the first one something to find', async () => {
    await tenant('a');
    await queued({ tenant: 'a', count: 50, age: 10 });
    const gone = await worker(8);
    await pool.query(`UPDATE workers SET seen_at = now() - interval '20 seconds' WHERE id = $1`, [gone]);
    expect(await dispatches.admit([])).toHaveLength(8);
    await worker(16);
    expect(await dispatches.admit([])).toHaveLength(8);
  });

  it('leaves what is not due, however high its priority', async () => {
    await tenant('a');
    await worker(8);
    await queued({ tenant: 'a', count: 3, age: -50, priority: 100 });
    const [due] = await queued({ tenant: 'a', count: 1, priority: -100 });
    expect((await dispatches.admit([])).map(({ taskId }) => taskId)).toEqual([due]);
  });

  it('is not overrun by rounds at the same time', async () => {
    await tenant('a', 1, 5);
    await worker(20);
    await queued({ tenant: 'a', count: 200, age: 10 });
    const rounds = await Promise.all(Array.from({ length: 20 }, () => dispatches.admit([])));
    expect(rounds.flat()).toHaveLength(5);
  });
});

describe('the order', () => {
  it('lets a tenant with one task pass one with a thousand', async () => {
    await tenant('a');
    await tenant('b');
    await queued({ tenant: 'a', count: 1_000, age: 600 });
    const fleet = await Fleet.of(2);
    await fleet.until(10);
    for (let n = 0; n < 5; n += 1) {
      const before = fleet.starts.length;
      const [id = ''] = await queued({ tenant: 'b', count: 1 });
      await fleet.pump([id]);
      while (!fleet.starts.includes(id)) await fleet.end();
      // Only what was announced before it comes first: as many as two slots that become free.
      expect(fleet.starts.indexOf(id) - before).toBeLessThanOrEqual(3);
    }
  });

  it.each([1, 4])('gives tenants starts by their weight, with %s slots', async (slots) => {
    await tenant('a', 1);
    await tenant('b', 3);
    await queued({ tenant: 'a', count: 300, age: 100 });
    await queued({ tenant: 'b', count: 300, age: 100 });
    const fleet = await Fleet.of(slots);
    await fleet.until(200);
    const starts = await tenantsOf(fleet.starts.slice(0, 200));
    expect(count(starts, 'a')).toBeGreaterThanOrEqual(47);
    expect(count(starts, 'a')).toBeLessThanOrEqual(53);
  });

  it('does not starve a tenant whose weight is less than a slot', async () => {
    await tenant('light', 1);
    await tenant('heavy', 50);
    await queued({ tenant: 'light', count: 3, age: 100 });
    await queued({ tenant: 'heavy', count: 200, age: 100 });
    const fleet = await Fleet.of(1);
    await fleet.until(110);
    expect(count(await tenantsOf(fleet.starts), 'light')).toBe(3);
  });

  it('shares slots and not only starts: who holds less than its share goes first', async () => {
    await tenant('long');
    await tenant('short');
    await queued({ tenant: 'long', count: 50, age: 100 });
    await queued({ tenant: 'short', count: 100, age: 100 });
    const fleet = await Fleet.of(6);
    await fleet.pump();
    const of = new Map<string, string>();
    // Runs of one tenant never end, those of the other at once.
    for (let n = 0; n < 60; n += 1) {
      for (const id of fleet.running) if (!of.has(id)) of.set(id, (await tenantsOf([id]))[0] ?? '');
      const brief = fleet.running.findIndex((id) => of.get(id) === 'short');
      if (brief < 0) break;
      fleet.running.unshift(...fleet.running.splice(brief, 1));
      await fleet.end();
    }
    const holds = await tenantsOf(fleet.running);
    expect(count(holds, 'long')).toBeGreaterThanOrEqual(3);
    expect(count(holds, 'short')).toBeGreaterThanOrEqual(2);
  });

  it('never lets a tenant pass its limit, and gives the rest of the slots to others', async () => {
    await tenant('a', 100, 2);
    await tenant('b');
    await queued({ tenant: 'a', count: 30, age: 100 });
    await queued({ tenant: 'b', count: 30, age: 100 });
    const fleet = await Fleet.of(5);
    await fleet.pump();
    for (let n = 0; n < 25; n += 1) {
      expect(count(await tenantsOf(fleet.running), 'a')).toBeLessThanOrEqual(2);
      expect(fleet.running).toHaveLength(5);
      await fleet.end();
    }
  });

  it('treats priority as seconds of head start, so that the lowest one runs at last', async () => {
    await tenant('a');
    const [low] = await queued({ tenant: 'a', count: 1, priority: -100, age: 250 });
    const [urgent] = await queued({ tenant: 'a', count: 1, priority: 100, age: 0 });
    const older = await queued({ tenant: 'a', count: 1, age: 120 });
    const younger = await queued({ tenant: 'a', count: 1, age: 60 });
    const fleet = await Fleet.of(1);
    await fleet.until(4);
    expect(fleet.starts).toEqual([low, ...older, urgent, ...younger]);
  });

  it('finishes trees that have started before it begins younger ones', async () => {
    await tenant('a');
    const [root = ''] = await queued({ tenant: 'a', count: 1, age: 500 });
    const fleet = await Fleet.of(1);
    await fleet.pump();
    await queued({ tenant: 'a', count: 20, age: 400 });
    await fleet.pump();
    const children = await queued({ tenant: 'a', count: 3, parent: root });
    await fleet.pump(children);
    const announced = [...fleet.queue];
    await fleet.until(1 + announced.length + 3);
    expect(fleet.starts.slice(1 + announced.length)).toEqual(children);
  });

  it('keeps a tenth of the window for tasks that were woken before', async () => {
    await tenant('a');
    await queued({ tenant: 'a', count: 500, age: 600 });
    const woken = await queued({ tenant: 'a', count: 50, wake: 2 });
    await worker(15);
    const first = (await dispatches.admit([])).map(({ taskId }) => taskId);
    expect(first.filter((id) => woken.includes(id))).toHaveLength(2);
    expect(first).toHaveLength(15);
  });

  it('keeps one place for them when all slots are busy', async () => {
    await tenant('a');
    const fleet = await Fleet.of(2);
    await queued({ tenant: 'a', count: 500, age: 600 });
    await fleet.until(10);
    const woken = await queued({ tenant: 'a', count: 5, wake: 2 });
    await fleet.until(20);
    expect(fleet.starts.slice(10).filter((id) => woken.includes(id)).length).toBeGreaterThanOrEqual(4);
  });
});

describe('what the queue loses', () => {
  it('is found again when the process dies between admitting and announcing', async () => {
    await tenant('a');
    await worker(1);
    const [id] = await queued({ tenant: 'a', count: 1 });
    await dispatches.admit([]); // And nobody hears of it.
    expect(await dispatches.unclaimed(0)).toEqual([{ taskId: id, wake: 1, tries: 1 }]);
    expect(await dispatches.unclaimed(60_000)).toEqual([]);
  });

  it('is due soon when the queue refused it, and still counts in the limit of its tenant', async () => {
    await tenant('a', 1, 1);
    await worker(4);
    await queued({ tenant: 'a', count: 2, age: 1 });
    const admitted = await dispatches.admit([]);
    expect(admitted).toHaveLength(1);
    await dispatches.refused(admitted);
    expect(await dispatches.unclaimed(2_500)).toMatchObject([{ tries: 1 }]);
    expect(await dispatches.admit([])).toEqual([]);
    await dispatches.repeated(admitted);
    expect(await dispatches.unclaimed(2_500)).toEqual([]);
  });

  it('is announced again with the next round when the worker that took it gave it back', async () => {
    await tenant('a', 1, 1);
    await worker(4);
    await queued({ tenant: 'a', count: 2, age: 1 });
    const [first] = await dispatches.admit([]);
    if (!first) throw new Error('nothing was admitted');
    await dispatches.returned([first]);
    expect(await dispatches.admit([])).toEqual([{ ...first, tries: 1 }]);
    expect(await dispatches.admit([])).toEqual([]);
  });
});

it('looks at a handful of rows, however long the backlog is', async () => {
  for (const id of ['a', 'b', 'c']) await tenant(id);
  await queued({ tenant: 'b', count: 5 });
  await worker(8);
  const client = await pool.connect();
  const visited = async () =>
    (
      await client.query<{ rows: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'dispatches'`,
      )
    ).rows[0]?.rows ?? NaN;
  try {
    await client.query('BEGIN');
    // Only the backlog matters here: without its tasks it is there in a second.
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(
      `INSERT INTO dispatches (task_id, wake, tenant_id, run_at)
       SELECT 'task_' || n, 1, 'a', now() - interval '1 second' FROM generate_series(1, 100000) n`,
    );
    // As autovacuum does within a minute; until then the planner may still take the table for empty.
    await client.query('ANALYZE dispatches');
    const before = await visited();
    expect((await client.query('SELECT * FROM admit_wakes($1, $2)', [[], []])).rowCount).toBe(8);
    expect((await visited()) - before).toBeLessThan(100);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

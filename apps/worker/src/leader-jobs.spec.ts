/** What is asked of the database again and again must not cost more the longer an installation lives. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentLogger } from '@bullpen/platform';
import { Announcer, openEventBus, openTaskQueue, type ReconcilerJob } from '@bullpen/queue';
import { createPool, Dispatches, StoreReconciler } from '@bullpen/store';
import {
  explainAll,
  hearPlans,
  makeDue,
  makeLargeHistory,
  MANY,
  testDatabase,
  type Ran,
  type TestDatabase,
} from '@bullpen/testing';
import { leaderJobs } from './leader-jobs.js';
import { lookForWork } from './reconciler-jobs.js';

/** Rows that one statement may read, in all nodes of its plan together: a slice of 100, and a little of everything that is due. */
const MOST = 1_000;
/** Delayed jobs show the first 500 of what comes later. */
const MOST_SHOWN = 6_000;

let database: TestDatabase;
let pool: ReturnType<typeof createPool>;
let home: string;
let ran: Ran[] = [];
const closing: (() => Promise<void>)[] = [];
let jobs: readonly ReconcilerJob[];
let store: StoreReconciler;

beforeAll(async () => {
  [database, home] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'bullpen-jobs-'))]);
  const filling = createPool({ databaseUrl: database.url, max: 1 });
  await makeLargeHistory(filling);
  await explainAll(filling);
  await filling.end();
  pool = createPool({ databaseUrl: database.url, max: 2, applicationName: 'leader-jobs-spec' });
  hearPlans(pool, (one) => ran.push(one));

  const [connection, logger] = [{ kind: 'postgres', databaseUrl: database.url }, silentLogger()] as const;
  const [queue, bus] = [openTaskQueue(connection, logger, 15_000), openEventBus(connection, logger)];
  const dispatches = new Dispatches(pool);
  const announcer = new Announcer({ queue, bus, backlog: dispatches, logger });
  closing.push(
    () => queue.close(),
    () => bus.close(),
  );
  store = new StoreReconciler({ pool, onCommitted: () => undefined });
  jobs = leaderJobs(
    {
      ...{ store, dispatches, announcer, queue, pool, logger, onWebhooks: () => undefined },
      settings: {
        ...{
          BULLPEN_HOME: home,
          CHECKPOINT_STORE: 'postgres',
          PROMPT_BODIES_DAYS: 7,
          CHECKPOINT_KEEP_DAYS: 1,
        },
        ...{ INVARIANTS_EVERY_MS: 1_000, RETENTION_DAYS: 3_650 },
      },
    },
    new AbortController().signal,
  );
});
afterAll(async () => {
  for (const close of closing) await close();
  await pool.end();
  await Promise.all([database.drop(), rm(home, { recursive: true, force: true })]);
});

/** Ends the waits that installations of before left behind, a batch a look. */
async function tidyUp(): Promise<void> {
  const due = `SELECT count(*)::int AS due FROM waits WHERE satisfied_at IS NULL AND due_at <= now()`;
  const tidier = jobs.find(({ name }) => name === 'due_wait');
  while ((await pool.query<{ due: number }>(due)).rows[0]?.due !== 0) await tidier?.run();
}

/** The statements of a run that read more rows than they may. */
async function greedy(job: ReconcilerJob): Promise<string[]> {
  ran = [];
  await job.run();
  // What this one does is in the memory of the worker.
  if (job.name !== 'webhook_send') expect(ran.length).toBeGreaterThan(0);
  const most = job.name === 'delayed_jobs' ? MOST_SHOWN : MOST;
  return ran
    .filter(({ rows }) => rows > most)
    .map(({ text, rows }) => `${job.name} read ${rows} rows: ${text.slice(0, 300)}`);
}

it('reads no more than is due, with every job of the leader, on a database that is full of what is not', async () => {
  // Whoever walks through all tasks of a kind reads each at least twice: in the node that finds it, and in the one above.
  expect(2 * MANY).toBeGreaterThan(MOST_SHOWN);
  await tidyUp();
  const found: string[] = [];
  for (const job of jobs) found.push(...(await greedy(job)));
  expect(found).toEqual([]);
});

it('asks for all jobs at once, and reads no more for that than each of them', async () => {
  const job = { name: 'look', everyMs: 1, run: () => lookForWork(store).then(() => 0) };
  expect(await greedy(job)).toEqual([]);
  // These go along indexes of what is due; the others walk, and have something to walk through here.
  const due = [
    'expired_lease',
    'due_wait',
    'expired_interaction',
    'deadline',
    'lost_announcement',
    'webhook_send',
  ];
  expect([...(await lookForWork(store))].filter((name) => due.includes(name))).toEqual([]);
});

it('runs every job that something is there for', async () => {
  await makeDue(pool, 5);
  await pool.query(
    `INSERT INTO webhook_deliveries (id, endpoint_id, tenant_id, type, payload) VALUES ('delivery_due', 'hook_1', 'tenant_1', 'ping', '{}')`,
  );
  await pool.query(
    `INSERT INTO processes (id, task_id, call_id, worker_id, host, pid_space, command, limit_ms)
     SELECT 'proc_1', id, 'call_1', 'worker_1', 'h', 's', 'sleep 1', 1000 FROM tasks WHERE state = 'waiting' LIMIT 1`,
  );
  const asked = jobs.filter(({ whenAsked }) => whenAsked).map(({ name }) => name);
  expect([...(await lookForWork(store))].filter((name) => name !== 'delayed_jobs').sort()).toEqual(
    asked.sort(),
  );
  await pool.query(`DELETE FROM webhook_deliveries WHERE id = 'delivery_due'`);
});

it('has nothing to run in an installation where nothing happens', async () => {
  const empty = await testDatabase();
  const alone = createPool({ databaseUrl: empty.url, max: 1 });
  const quiet = new StoreReconciler({ pool: alone, onCommitted: () => undefined });
  expect([...(await lookForWork(quiet))]).toEqual([]);
  await alone.end();
  await empty.drop();
});

it('reads little more when a little is due', async () => {
  const found: string[] = [];
  for (const job of jobs) found.push(...(await greedy(job)));
  expect(found).toEqual([]);
});

/**
 * What a list costs must follow from what it shows, not from what an installation has kept: each one on a database with a long past, most of
 * which does not fit. Slow, because that past has to be made.
 */
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ListInteractions, ListTasks, SearchQuery } from '@bullpen/contracts';
import {
  explainAll,
  hearPlans,
  makeLargeHistory,
  MANY,
  testDatabase,
  type Ran,
  type TestDatabase,
} from '@bullpen/testing';
import pg from 'pg';
import { beginSession, createPool } from '../database/pool.js';
import { PrismaClient } from '../generated/client.js';
import { listInteractions } from './interactions.js';
import { listFailures } from './failures.js';
import { searchTasks } from './search.js';
import { listTasks } from './tasks.js';

/** Rows that all statements of a list may read, in all nodes of their plans together: a page of 20 passes through some. */
const MOST = 1_000;
/** The same for words: the newest tasks that fit are looked through for them first, in several nodes of the plan. */
const MOST_FOR_WORDS = 4_500;
const PAGE = 20;
const NOWHERE = 'task_00000000000000000000000000';

let database: TestDatabase;
let pool: pg.Pool;
let prisma: PrismaClient;
let ran: Ran[] = [];

beforeAll(async () => {
  database = await testDatabase();
  const filling = createPool({ databaseUrl: database.url, max: 1 });
  await makeLargeHistory(filling);
  await filling.query('VACUUM ANALYZE');
  await explainAll(filling);
  await filling.end();
  // As Prisma's connections are: plans are made for the values.
  pool = new pg.Pool({
    connectionString: database.url,
    max: 2,
    onConnect: (client) => beginSession(client, 'SET statement_timeout = 30000'),
  });
  hearPlans(pool, (one) => ran.push(one));
  prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
});
afterAll(async () => {
  await prisma.$disconnect();
  await pool.end();
  await database.drop();
});

/** The statements that read more than they may, when all together do. */
async function greedy(name: string, look: () => Promise<unknown>, most = MOST): Promise<string[]> {
  ran = [];
  await look();
  expect(ran.length).toBeGreaterThan(0);
  const rows = ran.reduce((sum, one) => sum + one.rows, 0);
  return rows <= most
    ? []
    : [`${name} read ${rows} rows`, ...ran.map((one) => `  ${one.rows}: ${one.text.slice(0, 200)}`)];
}

const tasks = (query: Readonly<Record<string, string>>, tenant = 'default') =>
  listTasks(prisma, tenant, ListTasks.parse({ limit: PAGE, ...query }));
const interactions = (query: Readonly<Record<string, string>>) =>
  listInteractions(prisma, 'default', ListInteractions.parse({ limit: PAGE, ...query }));
const NOW = new Date().toISOString();

const LISTS: Readonly<Record<string, () => Promise<unknown>>> = {
  'the newest tasks': () => tasks({}),
  'the newest trees': () => tasks({ roots: 'true', trees: 'true' }),
  'tasks of an agent that nobody used': () => tasks({ agent: 'nobody' }),
  'tasks with a tag that none has': () => tasks({ tag: 'nothing' }),
  'completed tasks': () => tasks({ state: 'completed' }),
  'failed tasks': () => tasks({ state: 'failed' }),
  'cancelled tasks of a tenant without any': () => tasks({ state: 'cancelled' }, 'busy'),
  'tasks that wait for money': () => tasks({ waitReason: 'budget' }),
  'tasks that wait for an answer, which none does': () => tasks({ waitReason: 'answer' }),
  'tasks that ended by a cause that none had': () => tasks({ cause: 'refused' }),
  'tasks that failed by an error that none had': () => tasks({ errorClass: 'overloaded' }),
  'tasks that failed in a way that none did': () => tasks({ failure: '0123456789abcdef' }),
  'archived tasks': () => tasks({ archived: 'only' }),
  'tasks that changed just now': () => tasks({ updatedAfter: NOW }),
  'tasks that ended just now': () => tasks({ endedAfter: NOW }),
  'tasks that were made just now': () => tasks({ createdAfter: NOW }),
  'a tree that is unknown': () => tasks({ rootId: NOWHERE }),
  'the subtasks of an unknown task': () => tasks({ parentId: NOWHERE }),
  'failures of an agent that nobody used': () =>
    listFailures(prisma, 'default', { agent: 'nobody', limit: PAGE }),
  'failures of a moment': () => listFailures(prisma, 'default', { from: NOW, limit: PAGE }),
  'what is asked': () => interactions({}),
  'what is asked of a kind that nothing is': () => interactions({ kind: 'question' }),
  'what was answered': () => interactions({ state: 'answered' }),
  'what ran out, which nothing did': () => interactions({ state: 'expired' }),
  'what was withdrawn, which nothing was': () => interactions({ state: 'withdrawn' }),
};

const SEARCHES: Readonly<Record<string, () => Promise<unknown>>> = {
  'tasks with words that none has': () => tasks({ q: 'nowhere' }),
  'a search without a hit': () =>
    searchTasks(prisma, 'default', SearchQuery.parse({ limit: PAGE, q: 'nowhere' }), (text) => text),
};

it.each(Object.entries(SEARCHES))('reads little more: %s', async (name, look) => {
  expect(MANY).toBeGreaterThan(MOST_FOR_WORDS);
  expect(await greedy(name, look, MOST_FOR_WORDS)).toEqual([]);
});

it.each(Object.entries(LISTS))('reads little: %s', async (name, look) => {
  // Whoever walks through one kind of tasks reads more than that.
  expect(MANY).toBeGreaterThan(MOST);
  expect(await greedy(name, look)).toEqual([]);
});

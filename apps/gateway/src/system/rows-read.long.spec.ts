/**
 * Whatever the API shows must cost what it shows, not what an installation has kept. Slow, because a long life has to be made, and everything is asked
 * for that can be.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createPool } from '@bullpen/store';
import { explainAll, hearAllPlans, testDatabase, type Ran, type TestDatabase } from '@bullpen/testing';
import { fillLongLife, looksOf } from '@bullpen/testing/harness';
import { startTestGateway, type TestGateway } from '../testing/test-gateway.js';

const TASKS = 12_000;
/** Rows that an answer may read for each that it shows, in all nodes of all plans: a row is found in an index, fetched, joined, sorted and counted. */
const FOR_EACH_SHOWN = 40;
const FOR_ALL = 1_500;

/** What reads by its nature more than it shows, and what bounds that. */
const MORE: readonly (readonly [what: RegExp, rows: number, why: string])[] = [
  [
    /[?&]q=/,
    55_000,
    'up to three thousand of the newest tasks that fit are looked through, with all their texts',
  ],
  [/[?&]trees=true/, 30_000, 'sums over all tasks of the trees that are shown'],
  [/^\/v1\/failures/, 2 * TASKS, 'groups of what failed in the time that is asked for'],
  [/^\/v1\/usage/, 10 * TASKS, 'sums over the hours of trees in the time that is asked for'],
  [/^\/v1\/workspaces/, 2 * TASKS, 'sums over all workspaces'],
  [/^\/v1\/system/, 2 * TASKS, 'counts of tasks by their states, along an index'],
  [/^\/v1\/bulk-actions/, 30_000, 'counts of what became of the items of each action that is shown'],
  [/^\/v1\/queues\/samples/, 30_000, 'means of the samples of the time that is asked for'],
];

let database: TestDatabase;
let bullpen: TestGateway;
let ran: Ran[] = [];
let stopHearing: () => void;

beforeAll(async () => {
  database = await testDatabase();
  const filling = createPool({ databaseUrl: database.url, max: 1 });
  await filling.query(`INSERT INTO tenants (id, name) VALUES ('default', 'default')`);
  await fillLongLife(filling, TASKS);
  await explainAll(filling);
  stopHearing = hearAllPlans(filling, (one) => ran.push(one));
  await filling.end();
  bullpen = await startTestGateway({ beside: { databaseUrl: database.url } });
}, 240_000);
afterAll(async () => {
  await bullpen?.close();
  stopHearing?.();
  await database?.drop();
});

/** The text of an answer; of a stream, which does not end, what comes first. */
async function answerOf(path: string): Promise<string> {
  const stop = new AbortController();
  const response = await bullpen.call(path, { signal: stop.signal });
  expect([path, response.status]).toEqual([path, 200]);
  if (!/\/stream\b/.test(path)) {
    const text = await response.text();
    // Rows that are shown as broken cost something else than rows that are shown as they are.
    expect([path, text.includes('row_unreadable')]).toEqual([path, false]);
    return text;
  }
  const piece = await response.body?.getReader().read();
  stop.abort();
  return new TextDecoder().decode(piece?.value);
}

/** Things that an answer shows: the entries of its lists, or the events of a stream. */
function shownIn(text: string): number {
  return text.startsWith('{') || text.startsWith('[') ? entriesOf(JSON.parse(text)) : text.split('\n').length;
}

function entriesOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + 1 + entriesOf(one), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, one) => sum + entriesOf(one), 0);
}

/** What was read too much for a look, or null; the page after the first counts as well. */
async function greedy(path: string): Promise<string[]> {
  ran = [];
  const text = await answerOf(path);
  const rows = ran.reduce((sum, one) => sum + one.rows, 0);
  const most = MORE.find(([what]) => what.test(path))?.[1] ?? FOR_ALL + FOR_EACH_SHOWN * shownIn(text);
  const heaviest = [...ran].sort((a, b) => b.rows - a.rows)[0];
  const found =
    rows <= most
      ? []
      : [`${path} read ${rows} rows, ${most} at most: ${heaviest?.rows} by ${heaviest?.text.slice(0, 300)}`];
  const next = /"nextCursor":"([^"]+)"/.exec(text)?.[1];
  return next === undefined || path.includes('after=')
    ? found
    : [...found, ...(await greedy(`${path}${path.includes('?') ? '&' : '?'}after=${next}`))];
}

it('reads little more than it shows, whatever is asked for and with whatever filter', async () => {
  const found: string[] = [];
  for (const path of looksOf(TASKS)) {
    const once = await greedy(path);
    // What the gateway does by itself meanwhile is not the answer's.
    if (once.length > 0) found.push(...(await greedy(path)));
  }
  expect(found).toEqual([]);
}, 240_000);

/** Which tasks have the words, whichever way they are looked for, held to what the tasks were made with. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ListTasks } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { aDefinition, testDatabase, type TestDatabase } from '@bullpen/testing';
import { createPool } from '../database/pool.js';
import { createPrisma, type Prisma } from '../database/prisma-client.js';
import { TaskCommands } from '../tasks/commands.js';
import { listTasks } from './tasks.js';

const TASKS = 6_000;
/** Each word is in one of so many tasks: in nearly all, in some of the first look, of the next ones, and in fewer than are looked through. */
const WORDS = [1, 2, 9, 40, 90, 700, TASKS];
const idOf = (n: number) => `task_${String(n).padStart(26, '0')}`;
const ALL = Array.from({ length: TASKS }, (_, n) => n);

let database: TestDatabase;
let prisma: Prisma;

beforeAll(async () => {
  database = await testDatabase();
  prisma = createPrisma({ databaseUrl: database.url });
  await prisma.tenant.create({ data: { id: 'a', name: 'a' } });
  const pool = createPool({ databaseUrl: database.url });
  const id = newId('task');
  await new TaskCommands({ pool, newId }).create({
    ...{ id, tenantId: 'a', title: 'T', definition: aDefinition(), prompt: 'P', input: null },
    ...{ workspace: { kind: 'empty' }, priority: 0, runAt: null, tags: [], metadata: {} },
  });
  // The higher its number, the older; seven at a time are of one moment, and every third one is of another agent.
  await pool.query(
    `WITH like_it AS (DELETE FROM tasks WHERE id = $1 RETURNING *), many AS (
       INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, workspace, state, ended_at, created_at)
       SELECT 'task_' || lpad(n::text, 26, '0'), 'a', 'task_' || lpad(n::text, 26, '0'), 'T', CASE n % 3 WHEN 0 THEN 'third' ELSE agent END,
         model, definition, 'P', workspace, 'completed', now(), now() - n / 7 * interval '1 s' FROM like_it, generate_series(0, $2::int - 1) n
       RETURNING id, right(id, 9)::int AS n)
     INSERT INTO search_texts (task_id, seq, field, at, lexemes)
     SELECT id, seq, 'prompt', now(), array_to_tsvector('{@a}'::text[] || ARRAY(SELECT 'in' || w || 'th' FROM unnest($3::int[]) w WHERE n % w = w - 1))
     FROM many, generate_series(1, 3) seq`,
    [id, TASKS, WORDS],
  );
  await pool.query('VACUUM ANALYZE tasks, search_texts');
  await pool.end();
});
afterAll(async () => {
  await prisma.$disconnect();
  await database.drop();
});

/** The ids of the first four pages. */
async function idsOf(query: Readonly<Record<string, string>>): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined, page = 0; page < 4; page += 1) {
    const { data, nextCursor } = await listTasks(
      prisma,
      'a',
      ListTasks.parse({ ...query, ...(after === undefined ? {} : { after }) }),
    );
    ids.push(...data.map((task) => task.id));
    if (nextCursor === null) break;
    after = nextCursor;
  }
  return ids;
}

/** As many as four pages have. */
const expected = (fits: (n: number) => boolean, limit: number) =>
  ALL.filter(fits)
    // Of one moment, the higher id is first.
    .sort((a, b) => Math.floor(a / 7) - Math.floor(b / 7) || b - a)
    .slice(0, 4 * limit)
    .map(idOf);

it.each(WORDS)('the newest tasks with a word of one in %d come, page for page', async (one) => {
  for (const limit of [3, 50, 200])
    expect(await idsOf({ q: `in${one}th`, limit: String(limit) })).toEqual(
      expected((n) => n % one === one - 1, limit),
    );
});

it('what else is asked for counts as well', async () => {
  expect(await idsOf({ q: 'in40th in2th', agent: 'third', limit: '20' })).toEqual(
    expected((n) => n % 40 === 39 && n % 3 === 0, 20),
  );
  expect(await idsOf({ q: 'in9th', agent: 'nobody', limit: '20' })).toEqual([]);
  expect(await idsOf({ q: 'nowhere', limit: '20' })).toEqual([]);
});

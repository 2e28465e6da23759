/** What is found by what: taken apart in memory, and looked for on a real database with a hundred thousand tasks. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@bullpen/platform';
import { aDefinition, testDatabase, untilEventsShow, type TestDatabase } from '@bullpen/testing';
import { createPool } from '../database/pool.js';
import { createPrisma, type Prisma } from '../database/prisma-client.js';
import { searchTasks } from '../queries/search.js';
import { pruneTrees } from '../tasks/retention.js';
import { TaskCommands } from '../tasks/commands.js';
import { indexEvents } from './search-index.js';
import { lexemesOf, marksOf, tsqueryOf } from './terms.js';

const same = (text: string): string => text;
const marked = (text: string, words: string) =>
  marksOf(text, words)?.map(({ start, end }) => text.slice(start, end));

describe('words', () => {
  it('are found whole with their beginning, and in Hangul anywhere, with the particle or without', () => {
    expect(marked('설정을 되돌려줘', '설정')).toEqual(['설정']);
    expect(marked('새로운 권한설정', '설정')).toEqual(['설정']);
    expect(marked('Migrate the Router now', 'rout')).toEqual(['Rout']);
    expect(marked('grouted', 'rout')).toBeUndefined();
    expect(marked('deploy 배포해줘 now', '배포 deploy')).toEqual(['deploy', '배포']);
    expect(marked('배포', '배포 deploy')).toBeUndefined();
    expect(marked('API를 고쳐', 'api')).toEqual(['API']);
    expect(marked('x', '!?')).toBeUndefined();
    expect(tsqueryOf('!?')).toBeNull();
  });

  it('are the same composed and not, and places are those of the text as it is stored', () => {
    const [composed, apart] = ['권한'.normalize('NFC'), '권한'.normalize('NFD')];
    expect(apart.length).toBeGreaterThan(composed.length);
    expect(marked(`이 ${apart}을 준다`, composed)).toEqual([apart]);
    expect(marked(`이 ${composed}을 준다`, apart)).toEqual([composed]);
    expect(tsqueryOf(apart)).toBe(tsqueryOf(composed));
    expect(lexemesOf(apart)).toEqual(lexemesOf(composed));
    expect(marked('Un cafe\u0301 noir', 'CAFÉ')).toEqual(['cafe\u0301']);
    expect(marked('🐂🐂 설정', '설정')).toEqual(['설정']);
  });

  it('never break the query, whatever they are', () => {
    for (const words of ["it's & | ! :* <-> ('", '\\', "a'b", '@default', '%_', ''.padEnd(200, '권')])
      expect(tsqueryOf(words) ?? '').not.toContain('<->');
    expect(lexemesOf('x'.repeat(500))).toEqual(['x'.repeat(60)]);
  });
});

describe('on a database', () => {
  let database: TestDatabase;
  let pool: ReturnType<typeof createPool>;
  let prisma: Prisma;
  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url });
    prisma = createPrisma({ databaseUrl: database.url });
    await prisma.tenant.createMany({
      data: [
        { id: 'a', name: 'a' },
        { id: 'b', name: 'b' },
      ],
    });
  });
  afterAll(async () => {
    await prisma.$disconnect();
    await pool.end();
    await database.drop();
  });

  async function aTask(title: string, prompt: string, tenantId = 'a'): Promise<string> {
    const id = newId('task');
    await new TaskCommands({ pool, newId }).create({
      ...{
        id,
        tenantId,
        title,
        definition: aDefinition(),
        prompt,
        input: null,
        workspace: { kind: 'empty' },
      },
      ...{ priority: 0, runAt: null, tags: [], metadata: {} },
    });
    return id;
  }
  /** Reads on when nothing stands before the events any more. */
  async function readOn(mask: (text: string) => string, batch?: number): Promise<void> {
    await untilEventsShow(pool);
    await indexEvents(pool, mask, batch);
  }
  async function says(taskId: string, type: string, data: object): Promise<void> {
    await pool.query(
      `WITH task AS (UPDATE tasks SET event_seq = event_seq + 1 WHERE id = $1 RETURNING id, event_seq, root_id, tenant_id)
       INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data) SELECT id, event_seq, root_id, tenant_id, $2, $3 FROM task`,
      [taskId, type, JSON.stringify(data)],
    );
  }
  const find = async (q: string, tenantId = 'a', mask = same) =>
    (
      await searchTasks(
        prisma,
        tenantId,
        { limit: 20, q, archived: 'no' } as Parameters<typeof searchTasks>[2],
        mask,
      )
    ).data;

  it('finds titles, prompts and messages of the tenant, with the places, as soon as they are read on', async () => {
    const id = await aTask('Rename the tables', '설정을 되돌려줘');
    await says(id, 'message.agent', {
      messageId: 'm',
      turn: 1,
      text: `${'앞 '.repeat(100)}권한`.normalize('NFD'),
    });
    await says(id, 'message.user', { messageId: 'n', text: 'Use the staging cluster', source: 'steering' });
    await says(id, 'message.user', { messageId: 'o', text: 'harness words', source: 'harness' });
    const foreign = await aTask('설정', 'x', 'b');
    await readOn(same, 2);
    await readOn(same);

    const [found] = await find('설정');
    expect(found).toMatchObject({ taskId: id, hitCount: 1 });
    expect(found?.hits).toEqual([
      expect.objectContaining({ field: 'prompt', text: '설정을 되돌려줘', marks: [{ start: 0, end: 2 }] }),
    ]);
    const [agent] = (await find('권한'))[0]?.hits ?? [];
    expect(agent).toMatchObject({ field: 'agent', cutBefore: true, cutAfter: false });
    const [mark] = agent?.marks ?? [];
    expect(agent?.text.slice(mark?.start, mark?.end)).toBe('권한'.normalize('NFD'));
    expect((await find('권'))[0]?.taskId).toBe(id);
    expect((await find('stag clus'))[0]?.hits[0]).toMatchObject({ field: 'user' });
    // All words have to be in one place.
    expect(await find('rename staging')).toEqual([]);
    expect(await find('harness')).toEqual([]);
    expect((await find('설정', 'b')).map(({ taskId }) => taskId)).toEqual([foreign]);
  });

  it('finds nothing of what is masked, not even that it is there', async () => {
    const secret = 'hunter2hunter2';
    const mask = (text: string) => text.replaceAll(secret, '[secret X]');
    const id = await aTask('Log in', `Use ${secret} for the vault`);
    await readOn(mask);
    expect(await find(secret, 'a', mask)).toEqual([]);
    expect(await find('hunter2', 'a', mask)).toEqual([]);
    const [found] = await find('vault', 'a', mask);
    expect(found?.taskId).toBe(id);
    expect(JSON.stringify(found)).not.toContain(secret);
  });

  it('follows a title that is changed, and forgets a tree that is deleted', async () => {
    const id = await aTask('Oldname', 'x');
    await says(id, 'task.updated', { changes: { title: 'Newname' } });
    await readOn(same);
    expect((await find('newname'))[0]?.hits[0]).toMatchObject({ field: 'title', text: 'Newname' });
    await pool.query(
      `UPDATE tasks SET state = 'completed', ended_at = now() - interval '9 days' WHERE id = $1`,
      [id],
    );
    await pool.query('DELETE FROM dispatches WHERE task_id = $1', [id]);
    const old = { olderThanS: 86_400, states: ['completed' as const], tenantId: null };
    await pruneTrees({ pool, ...old }, new AbortController().signal);
    expect(await find('newname')).toEqual([]);
    expect((await pool.query('SELECT FROM search_texts WHERE task_id = $1', [id])).rowCount).toBe(0);
  });

  it('asks an index and reads no table through, with a hundred thousand tasks', async () => {
    const id = await aTask('Needle', '희귀한 낱말');
    await readOn(same);
    await pool.query(
      `WITH like_it AS (SELECT * FROM tasks WHERE id = $1), many AS (
         INSERT INTO tasks (id, tenant_id, root_id, title, agent, model, definition, prompt, workspace, state, created_at)
         SELECT 'task_' || lpad(n::text, 26, '0'), tenant_id, 'task_' || lpad(n::text, 26, '0'), 'T', agent, model, '{}', 'P', '{}', 'completed',
           now() - n * interval '1 s' FROM like_it, generate_series(1, 100000) n RETURNING id)
       INSERT INTO search_texts (task_id, seq, field, at, lexemes)
       SELECT id, 1, 'prompt', now(), array_to_tsvector(ARRAY['@a', 'common', '설정', '정을', 'w' || right(id, 4)]) FROM many`,
      [id],
    );
    await pool.query('VACUUM ANALYZE tasks, search_texts');
    const plan = (
      await pool.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN SELECT t.id FROM tasks t WHERE t.tenant_id = 'a' AND t.id IN
           (SELECT task_id FROM search_texts WHERE lexemes @@ '''@a'' & ''희귀'' & ''귀한'''::tsquery) ORDER BY created_at DESC, id DESC LIMIT 21`,
      )
    ).rows.map((row) => row['QUERY PLAN']);
    expect(plan.join('\n')).toContain('search_texts_lexemes_idx');
    expect(plan.join('\n')).not.toContain('Seq Scan');
    expect((await find('희귀한'))[0]?.taskId).toBe(id);
    // A word of every task, of which these have no event that could be shown, does not hide the one that has.
    expect((await find('설정을')).length).toBeGreaterThan(0);
  });
});

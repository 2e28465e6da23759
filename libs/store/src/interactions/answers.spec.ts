import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { emptyStep, type Lease, type NewInteraction } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import type { PostgresTaskStore, TaskCommands } from '@bullpen/store';
import { getInteraction, listInteractions, type Prisma } from '@bullpen/store';
import { StoreWorld } from '../../test/store-world.js';
import { prepared } from '../steps/sql.js';

describe('answers to what waits for a person', () => {
  let world: StoreWorld;
  let prisma: Prisma;
  let store: PostgresTaskStore;
  let commands: TaskCommands;
  let lease: Lease;

  beforeAll(async () => {
    world = await StoreWorld.open();
    ({ prisma, store, commands } = world);
  });
  beforeEach(async () => {
    world.effects = [];
    lease = await world.running();
  });
  afterAll(async () => {
    const broken = await world.broken();
    await world.close();
    expect(broken).toEqual([]);
  });

  const ask = async (more: Partial<NewInteraction> = {}) => {
    const id = newId('ask');
    const open: NewInteraction = {
      id,
      kind: 'approval',
      callId: null,
      hash: 'a'.repeat(64),
      title: 'act',
      turn: 0,
      payload: { tool: 'act', arguments: {}, reason: 'It acts.', rule: 'alwaysAllowExecute' },
      expiresInMs: null,
      expiryAnswer: null,
      ...more,
    };
    const wait = {
      reason: 'approval',
      mode: 'any',
      childIds: [],
      dueInMs: null,
      interactionIds: [id],
    } as const;
    await store.commit(lease, {
      ...emptyStep(),
      interactions: [open],
      end: { kind: 'suspend', waitId: newId('wait'), wait },
    });
    return id;
  };
  const answer = (id: string, given: unknown, by = 'ann', hash?: string) =>
    commands.answer('default', id, { answer: given, by, ...(hash === undefined ? {} : { hash }) });

  it('of one that cannot be read is refused with its place, and the others expire all the same', async () => {
    const expiring = { expiresInMs: -1, expiryAnswer: { decision: 'deny' } } as const;
    const bad = await ask(expiring);
    lease = await world.running();
    const good = await ask(expiring);
    const put = (payload: string) =>
      world.pool.query('UPDATE interactions SET payload = $2 WHERE id = $1', [bad, payload]);
    const states = async () =>
      Promise.all([bad, good].map(async (id) => (await getInteraction(prisma, 'default', id))?.state));
    await put('{"tool":7}');
    await expect(world.reconciler.expireInteractions()).rejects.toThrow('1 of 2 failed');
    expect(await states()).toEqual(['pending', 'expired']);
    await expect(answer(bad, { decision: 'deny' })).rejects.toMatchObject({
      code: 'row_unreadable',
      details: { table: 'interactions', id: bad, column: 'payload' },
    });
    await put('{"tool":"act","arguments":{},"reason":"It acts.","rule":"alwaysAllowExecute"}');
    await world.reconciler.expireInteractions();
    expect(await states()).toEqual(['expired', 'expired']);
  });

  it('of two people at once take one, and tell the queue once', async () => {
    const id = await ask();
    world.effects = [];
    const results = await Promise.all([
      answer(id, { decision: 'approve' }, 'ann'),
      answer(id, { decision: 'deny' }, 'bob'),
      answer(id, { decision: 'approve' }, 'cid'),
    ]);
    expect(results.map(({ kind }) => kind).sort()).toEqual(['answered', 'closed', 'closed']);
    expect(world.effects.flatMap(({ wakes }) => wakes)).toEqual([{ taskId: lease.taskId, wake: 2 }]);
    const winner = ['ann', 'bob', 'cid'][results.findIndex(({ kind }) => kind === 'answered')];
    expect(await getInteraction(prisma, 'default', id)).toMatchObject({
      state: 'answered',
      answeredBy: winner,
    });
  });

  it('are refused for what another tenant is asked, as for what does not exist', async () => {
    const id = await ask();
    const foreign = await commands.answer('other', id, { answer: { decision: 'approve' }, by: 'eve' });
    expect(foreign).toEqual({ kind: 'not_found' });
    expect(await answer(newId('ask'), { decision: 'approve' })).toEqual({ kind: 'not_found' });
    expect(await getInteraction(prisma, 'other', id)).toBeNull();
  });

  it('count only for exactly what was seen, when they say what that was', async () => {
    const id = await ask();
    expect(await answer(id, { decision: 'approve' }, 'ann', 'b'.repeat(64))).toEqual({ kind: 'changed' });
    expect(await answer(id, { decision: 'approve' }, 'ann', 'a'.repeat(64))).toMatchObject({
      kind: 'answered',
    });
  });

  it.each<[string, Partial<NewInteraction>, unknown, string]>([
    ['an unknown decision', {}, { decision: 'maybe' }, '/decision'],
    ['a field too many', {}, { decision: 'approve', force: true }, ''],
    ['an empty answer', { kind: 'question', payload: aQuestion() }, { text: '  ' }, '/text'],
    ['no answer', { kind: 'question', payload: aQuestion() }, {}, ''],
    ['an option that is none', { kind: 'question', payload: aQuestion() }, { choices: ['c'] }, '/choices'],
    [
      'two options of a single choice',
      { kind: 'question', payload: aQuestion() },
      { choices: ['a', 'b'] },
      '/choices',
    ],
    [
      'own words where there are only options',
      { kind: 'question', payload: aQuestion({ freeText: false }) },
      { text: 'c' },
      '/text',
    ],
    ['a cancel with an answer', { kind: 'question', payload: aQuestion() }, { cancel: true, text: 'a' }, ''],
    [
      'a limit that is too low',
      { kind: 'budget', payload: { turn: 0, limitUsd: '1', spentUsd: '1', neededUsd: '0.5' } },
      { decision: 'raise', limitUsd: '1.2' },
      '/limitUsd',
    ],
    [
      'remarks that say nothing',
      { kind: 'plan', payload: { version: 1, plan: 'p', steps: ['s'] } },
      { decision: 'revise', remarks: '' },
      '/remarks',
    ],
  ])('are refused with the place of the mistake: %s', async (_, kind, given, pointer) => {
    const id = await ask(kind);
    expect(await answer(id, given)).toMatchObject({ kind: 'invalid', errors: [{ pointer }] });
    expect(await getInteraction(prisma, 'default', id)).toMatchObject({ state: 'pending', answer: null });
  });

  it('write the rule that lets the like pass into the chosen layer, when they say so and there is one', async () => {
    const patch = {
      approvals: {},
      locked: [],
      rules: { ...NO_RULES, commands: { ...NO_RULES.commands, allow: ['npm ci'] } },
    };
    const remember = { sentence: 'From now on npm ci runs.', patch };
    const payload = {
      tool: 'run_command',
      arguments: {},
      reason: 'It installs.',
      rule: 'program.unknown',
      remember,
    };
    const id = await ask({ payload });
    expect(await answer(id, { decision: 'approve', remember: 'project' })).toMatchObject({
      kind: 'invalid',
      errors: [{ pointer: '/remember' }],
    });
    expect(await answer(id, { decision: 'approve', remember: 'task' })).toMatchObject({ kind: 'answered' });
    const task = { tenantId: 'default', rootId: lease.taskId, workspace: { kind: 'empty' } } as const;
    expect((await store.layers(task)).task?.rules.commands.allow).toEqual(['npm ci']);

    lease = await world.claim(lease.taskId, 2);
    const without = await ask();
    expect(await answer(without, { decision: 'approve', remember: 'task' })).toMatchObject({
      kind: 'invalid',
    });
  });

  it('take several options and own words where the question allows it, and cancelling is one, too', async () => {
    const payload = aQuestion({ multiple: true });
    const several = await ask({ kind: 'question', payload });
    expect(await answer(several, { choices: ['a', 'b'], text: 'both' })).toMatchObject({ kind: 'answered' });
    lease = await world.claim(lease.taskId, 2);
    const cancelled = await ask({ kind: 'question', payload });
    expect(await answer(cancelled, { cancel: true })).toMatchObject({ kind: 'answered' });
  });

  it('are listed by what became of them, page by page, what has waited longest first', async () => {
    const ids = [await ask()];
    await answer(ids[0] ?? '', { decision: 'approve' });
    lease = await world.claim(lease.taskId, 2);
    const [first, second] = [newId('ask'), newId('ask')];
    const open = {
      kind: 'question',
      callId: null,
      hash: '',
      title: 'q',
      turn: 0,
      payload: aQuestion(),
      expiresInMs: null,
      expiryAnswer: null,
    } as const;
    for (const id of [first, second])
      await store.commit(lease, { ...emptyStep(), interactions: [{ ...open, id }] });

    const mine = { taskId: lease.taskId, limit: 1, state: 'pending' } as const;
    const page = await listInteractions(prisma, 'default', mine);
    expect(page).toMatchObject({
      data: [{ id: first, state: 'pending', title: 'q', taskTitle: 'T' }],
      hasMore: true,
    });
    const rest = await listInteractions(prisma, 'default', { ...mine, after: page.nextCursor ?? '' });
    expect(rest).toMatchObject({ data: [{ id: second }], hasMore: false });
    const answered = await listInteractions(prisma, 'default', { ...mine, state: 'answered' });
    expect(answered.data.map(({ id }) => id)).toEqual(ids);
    await expect(
      listInteractions(prisma, 'default', { ...mine, state: 'answered', after: page.nextCursor ?? '' }),
    ).rejects.toThrow('another filter');
    expect((await listInteractions(prisma, 'other', mine)).data).toEqual([]);
  });

  it.each([
    'answer-interaction',
    'cancel-tasks',
    'commit-step',
    'fail-overdue',
    'rewind-task',
    'wake-budget-waits',
  ] as const)('are found by %s through an id, and never by a look at all that is open', async (name) => {
    const client = await world.pool.connect();
    try {
      await client.query('BEGIN');
      // The tables of a spec are so small that any way would do.
      await client.query('SET LOCAL enable_seqscan = off');
      await client.query(`PREPARE found AS ${prepared(name, []).text ?? ''}`);
      const { rows: known } = await client.query<{ count: number }>(
        `SELECT cardinality(parameter_types) AS count FROM pg_prepared_statements WHERE name = 'found'`,
      );
      const values = Array.from({ length: known[0]?.count ?? 0 }, () => 'NULL').join();
      const { rows } = await client.query<Record<'QUERY PLAN', string>>(`EXPLAIN EXECUTE found (${values})`);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/\binteractions_\w+/);
      expect(plan).not.toMatch(/using interactions_.*\n *(?! |Index Cond)/);
    } finally {
      // With what it has prepared.
      client.release(true);
    }
  });
});

function aQuestion(more: Record<string, boolean> = {}) {
  return {
    question: 'Which?',
    options: [{ label: 'a' }, { label: 'b' }],
    multiple: false,
    freeText: true,
    ...more,
  };
}

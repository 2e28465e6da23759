/** retry, failures and prune as people type them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BulkActionView, BulkPreview, FailureList } from '@bullpen/contracts';
import { newId } from '@bullpen/platform';
import { createPool, TaskCommands } from '@bullpen/store';
import { aDefinition, aStory, ROOT, testDatabase } from '@bullpen/testing';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunOptions, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (args: string[], options: RunOptions = {}): Promise<RunResult> =>
  runCli(args, { ...options, env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1', ...options.env } });
const json = (result: RunResult): unknown => JSON.parse(result.out);
const bodies = () => gateway.requests.map(({ path, body }) => [path, body]);

describe('going on', () => {
  it('sends the next message to an ended task with new limits, and shows only what follows', async () => {
    gateway.task = aTaskView({ eventSeq: 17, output: 'Done.' });
    gateway.streams = [[aStory().state(ROOT, 'running', 'completed', { cause: 'goal' })]];
    const result = await run(['run', '--continue', ROOT, 'And the tests?', '--turns', '90']);
    expect([result.code, result.out]).toEqual([0, 'Done.\n']);
    expect(gateway.requests).toContainEqual(
      expect.objectContaining({
        path: `/v1/tasks/${ROOT}/messages`,
        body: { text: 'And the tests?', limits: { turns: 90 } },
      }),
    );
    expect(gateway.requests.find(({ path }) => path.includes('/stream'))).toMatchObject({
      lastEventId: '17',
    });
  });

  it('refuses what a task keeps from its beginning, and an empty word', async () => {
    expect(await run(['run', '--continue', ROOT, 'x', '--dir', '.'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--dir'),
    });
    expect((await run(['run', '--continue', ROOT])).code).toBe(2);
    expect(gateway.requests).toEqual([]);
  });
});

describe('retry', () => {
  const ANOTHER = newId('task');

  it('does a task anew and says which task that is', async () => {
    gateway.task = aTaskView({ id: ANOTHER, retryOfId: ROOT });
    const result = await run(['retry', ROOT, '--new', '-m', 'Mind the gap.']);
    expect(bodies()).toEqual([[`/v1/tasks/${ROOT}/retry`, { mode: 'new', message: 'Mind the gap.' }]]);
    expect([result.code, result.err]).toEqual([
      0,
      `${ROOT} runs again as ${ANOTHER}. Watch it: bullpen tasks watch ${ANOTHER}\n`,
    ]);
  });

  it('follows the attempt from now on, not what happened before', async () => {
    gateway.task = aTaskView({ eventSeq: 17, output: 'Done.' });
    gateway.streams = [[aStory().state(ROOT, 'running', 'completed', { cause: 'goal' })]];
    const result = await run(['retry', ROOT, '--follow']);
    expect([result.code, result.out]).toEqual([0, 'Done.\n']);
    expect(gateway.requests.find(({ path }) => path.includes('/stream'))).toMatchObject({
      lastEventId: '17',
    });
  });

  it('follows a task that is done anew from its beginning, and ends with its outcome', async () => {
    gateway.task = aTaskView({ id: ANOTHER, rootId: ANOTHER, state: 'failed', stopCause: 'error' });
    gateway.streams = [[aStory().state(ANOTHER, 'running', 'failed', { cause: 'error' })]];
    const result = await run(['retry', ROOT, '--new', '--follow', '--json']);
    expect([result.code, (json(result) as { taskId: string }).taskId]).toEqual([3, ANOTHER]);
  });

  it('wants one task or --failed, and not both', async () => {
    for (const args of [['retry'], ['retry', ROOT, '--failed']])
      expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining('--failed') });
    expect((await run(['retry', '--failed', '--cause', 'bad luck'])).code).toBe(2);
    expect(gateway.requests).toEqual([]);
  });
});

describe('retry --failed', () => {
  const BULK = 'bulk_01kb3v8r9h5g7j9k1m3n5p7q9s';
  const preview: BulkPreview = {
    ...{ matched: 5, considered: 5, able: 3, costSoFarUsd: '1.25', reasons: [] },
    byCause: [
      { cause: 'error', matched: 3, able: 3 },
      { cause: 'turn_limit', matched: 2, able: 0 },
    ],
    refused: [{ id: ROOT, reason: 'The task has used 5 of 5.' }],
  };
  const action: BulkActionView = {
    ...{ id: BULK, action: { verb: 'retry', mode: 'new' }, filter: null, state: 'running' },
    ...{ total: 5, done: 0, refused: 0, left: 5, createdBy: 'k' },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', endedAt: null },
  };

  it('shows what it would do, and changes nothing', async () => {
    gateway.answers.set('/v1/bulk-actions/preview', preview);
    const flags = '--cause error --error-class overload --agent scout --tag t';
    const result = await run(['retry', '--failed', ...flags.split(' ')]);
    const filter = { cause: 'error', errorClass: 'overload', agent: 'scout', tag: 't' };
    expect(bodies()).toEqual([
      [
        '/v1/bulk-actions/preview',
        { action: { verb: 'retry' }, filter: { state: ['failed'], roots: true, ...filter } },
      ],
    ]);
    expect(result.code).toBe(0);
    expect(result.out).toMatch(/CAUSE +FAILED +CAN BE RETRIED\nerror +3 +3\nturn_limit +2 +0/);
    expect(result.err).toBe(
      `not ${ROOT}: The task has used 5 of 5.\nand 1 more that cannot be retried\n` +
        '3 of 5 would be given another attempt; they have cost $1.25 so far. To do it, add --yes\n',
    );
  });

  it('does it with --yes until all are tried, and tells a script when not all of it could be done', async () => {
    const done = { ...action, state: 'done', done: 4, refused: 1, left: 0 };
    const item = { taskId: ROOT, title: 't', state: 'refused', reason: 'It has ended.', newTaskId: null };
    gateway.answers.set('/v1/bulk-actions', action);
    gateway.answers.set(`/v1/bulk-actions/${BULK}`, done);
    gateway.answers.set(`/v1/bulk-actions/${BULK}/items`, { data: [item], nextCursor: null, hasMore: false });
    const result = await run(['retry', '--failed', '--yes', '--new', '--since', '2h', '--json']);
    const [request] = gateway.requests;
    const body = request?.body as { filter: { createdAfter: string }; action: object };
    expect(body).toMatchObject({ action: { verb: 'retry', mode: 'new' } });
    expect(Math.abs(Date.parse(body.filter.createdAfter) - (Date.now() - 7_200_000))).toBeLessThan(60_000);
    expect([result.code, json(result)]).toEqual([7, { ...done, items: [item] }]);
  });

  it('says when there is nothing', async () => {
    const none = { ...preview, matched: 0, considered: 0, able: 0, byCause: [], refused: [] };
    gateway.answers.set('/v1/bulk-actions/preview', none);
    expect(await run(['retry', '--failed'])).toEqual({ code: 0, out: '', err: 'No failed tasks match.\n' });
  });
});

it('failures shows one line a kind', async () => {
  const list: FailureList = {
    data: [
      {
        cause: 'error',
        code: 'model_failed',
        errorClass: 'overload',
        message: 'Overloaded after <n> s',
        count: 12,
        roots: 10,
        firstAt: '2025-12-31T00:00:00.000Z',
        lastAt: '2026-01-01T00:00:00.000Z',
        exampleId: ROOT,
        agents: ['general', 'scout'],
        signature: '0123456789abcdef',
        trend: [2, 10],
        newest: [],
      },
    ],
    total: 14,
    from: '2025-12-31T00:00:00.000Z',
    to: '2026-01-01T01:00:00.000Z',
  };
  gateway.answers.set('/v1/failures', list);
  const result = await run(['failures', '--agent', 'scout', '--limit', '1'], { columns: 160 });
  expect(gateway.requests[0]?.path).toBe('/v1/failures?limit=1&agent=scout');
  expect(result.out).toMatch(
    new RegExp(`12 +\\S+ +error \\(overload\\) +Overloaded after <n> s +general, scout +${ROOT.slice(-8)}`),
  );
  expect(result.err).toContain('and 2 more');
  expect(json(await run(['failures', '--json']))).toEqual(list);
});

it('prune counts, deletes what ended long ago with its workspaces, and can be run again', async () => {
  const database = await testDatabase();
  const home = await mkdtemp(join(tmpdir(), 'bullpen-prune-'));
  const pool = createPool({ databaseUrl: database.url, max: 2 });
  try {
    await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
    const commands = new TaskCommands({ pool, newId });
    const aTask = async (days: number): Promise<string> => {
      const id = newId('task');
      await commands.create({
        id,
        tenantId: 'default',
        title: 'T',
        definition: aDefinition(),
        prompt: 'P',
        input: null,
        workspace: { kind: 'empty' },
        priority: 0,
        runAt: null,
        tags: [],
        metadata: {},
      });
      await commands.cancel('default', id, null);
      await pool.query(`UPDATE tasks SET ended_at = now() - $2::int * interval '1 day' WHERE id = $1`, [
        id,
        days,
      ]);
      await mkdir(join(home, 'workspaces', id), { recursive: true });
      return id;
    };
    const [old, older, young] = [await aTask(31), await aTask(40), await aTask(29)];
    const prune = (...args: string[]) =>
      run(['prune', '--older-than', '30d', ...args], {
        env: { DATABASE_URL: database.url, BULLPEN_HOME: home },
      });
    const folders = async () => (await readdir(join(home, 'workspaces'))).sort();

    expect((await prune('--dry-run')).out).toMatch(/^2 trees with 2 tasks/);
    expect(json(await prune('--state', 'failed', '--json'))).toMatchObject({ trees: 0, tasks: 0 });
    expect(await folders()).toEqual([old, older, young].sort());

    expect((await prune()).out).toBe('Deleted 2 trees with 2 tasks and 2 workspaces.\n');
    expect(await folders()).toEqual([young]);
    expect((await pool.query('SELECT id FROM tasks')).rows).toEqual([{ id: young }]);
    expect(json(await prune('--json'))).toEqual({
      dryRun: false,
      stopped: false,
      trees: 0,
      tasks: 0,
      workspacesRemoved: 0,
      workspacesKept: 0,
    });

    const kept = await aTask(50);
    expect((await prune('--keep-workspaces')).code).toBe(0);
    expect(await folders()).toEqual([young, kept].sort());
    for (const wrong of [
      ['--state', 'running'],
      ['--older-than', 'soon'],
    ])
      expect((await prune(...wrong)).code).toBe(2);
    expect((await run(['prune'])).code).toBe(2);
  } finally {
    await pool.end();
    await database.drop();
    await rm(home, { recursive: true, force: true });
  }
});

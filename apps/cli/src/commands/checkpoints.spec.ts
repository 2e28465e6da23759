import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckpointView, RestoreView } from '@bullpen/contracts';
import { aTaskView } from '../../test/a-task.js';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (...args: string[]): Promise<RunResult> =>
  runCli(['checkpoints', ...args], {
    env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' },
    columns: 200,
  });

const TASK = 'task_00000000000000000000000001';
const ID = 'ckpt_00000000000000000000000001';
const CHECKPOINT: CheckpointView = {
  ...{ id: ID, taskId: TASK, rootId: TASK, workspaceId: TASK, parentId: null, reason: 'turn', turn: 3 },
  ...{ note: 'mine \u001b[2J', messageSeq: 4, eventSeq: 9, commit: 'c1', files: 12, bytes: 2_100 },
  diffstat: {
    ...{ files: 3, insertions: 5, deletions: 1 },
    list: [
      { path: 'b\u001b[2J.txt', from: 'a.txt', status: 'renamed', insertions: 5, deletions: 1 },
      { path: 'logo.png', status: 'added', insertions: null, deletions: null },
    ],
  },
  leftOut: [{ reason: 'oversize', count: 1, paths: ['film.mp4'] }],
  createdAt: '2026-01-01T00:00:00.000Z',
};

describe('checkpoints', () => {
  it('are listed with what each changed, safely; a task without any is told so', async () => {
    const first = { ...CHECKPOINT, id: 'ckpt_2', reason: 'start', turn: 0, diffstat: null, note: null };
    const path = `/v1/tasks/${TASK}/checkpoints`;
    gateway.answers.set(path, { data: [CHECKPOINT, first], nextCursor: null, hasMore: false });
    const { out } = await run('list', TASK);
    expect(out).toMatch(/00000001 +1m +3 +turn +3 files, \+5 -1 +mine\n/);
    expect(out).toMatch(/ckpt_2 +1m +0 +start +the first: 12 files\n/);
    gateway.answers.set(path, { data: [], nextCursor: null, hasMore: false });
    expect(await run('list', TASK)).toMatchObject({
      out: '',
      err: 'This task has no checkpoints.\n',
      code: 0,
    });
  });

  it('are compared, two of them or one with now, also from the task', async () => {
    const diffstat = CHECKPOINT.diffstat;
    gateway.answers.set(`/v1/checkpoints/${ID}/diff`, { from: ID, to: 'ckpt_2', diffstat });
    expect((await run('diff', ID)).out).toContain('R a.txt -> b.txt  +5 -1\n');
    const of = ['tasks', 'diff', TASK, '--from', ID];
    const env = { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' };
    expect((await runCli(of, { env, columns: 200 })).out).toContain('3 files changed');
    const nothing = { files: 0, insertions: 0, deletions: 0, list: [] };
    gateway.answers.set(`/v1/checkpoints/${ID}/diff`, { from: ID, to: ID, diffstat: nothing });
    expect(await run('diff', ID, ID)).toMatchObject({ out: '', err: 'No file differs.\n', code: 0 });
  });

  it('are gone on from in a new task, whose id is told', async () => {
    gateway.answers.set(`/v1/checkpoints/${ID}/fork`, aTaskView({ id: TASK }));
    const { err, code } = await run('fork', ID, 'Try it with Postgres', '--turns', '9', '--agent', 'helper');
    expect([code, err]).toEqual([0, expect.stringContaining(`${TASK} goes on from there.`)]);
    const body = { message: 'Try it with Postgres', agent: 'helper', limits: { turns: 9 } };
    expect(gateway.requests.at(-1)).toMatchObject({ method: 'POST', body });
  });

  it('show the files that changed, and what is not in them', async () => {
    gateway.answers.set(`/v1/checkpoints/${ID}`, CHECKPOINT);
    const { out } = await run('show', ID);
    expect(out).toContain('  R a.txt -> b.txt  +5 -1\n  A logo.png  no text\n  … 1 more file\n');
    expect(out).toMatch(/left out +1 path \(oversize\): film\.mp4\n/);
    expect(JSON.parse((await run('show', ID, '--json')).out)).toMatchObject({ id: ID });
  });

  const LOOK: RestoreView = {
    ...{ id: 'restore_1', taskId: TASK, checkpointId: ID, what: 'files', dryRun: true, state: 'done' },
    files: {
      changes: {
        count: 3,
        list: [
          { path: 'a\u001b[2J', action: 'write' },
          { path: 'new', action: 'remove' },
        ],
      },
      kept: { count: 1, list: [{ path: 'mine', action: 'remove' }] },
      conflicts: { count: 1, list: ['both'] },
    },
    ...{ history: null, before: 'ckpt_before', after: null, failure: null },
    ...{ createdAt: '2026-01-01T00:00:00.000Z', endedAt: '2026-01-01T00:00:00.000Z' },
  };
  const bodies = () => gateway.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);

  it('show what going back to one would change, safely, and change nothing unless they may', async () => {
    gateway.answers.set(`/v1/checkpoints/${ID}`, CHECKPOINT);
    gateway.answers.set(`/v1/tasks/${TASK}/restore`, LOOK);
    const look = await run('restore', ID, '--dry-run');
    expect(look).toMatchObject({
      code: 0,
      out: [
        ...['M a', 'D new', '… 1 more file', '! both  stays: changed by others, too'],
        "= mine  stays: not the task's, or not in the checkpoint\n3 files to bring back\n",
      ].join('\n'),
    });
    const unasked = await run('restore', ID);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect(bodies()).toEqual([
      { checkpointId: ID, what: 'files' },
      { checkpointId: ID, what: 'files' },
    ]);
    const done = await run('restore', ID, '--both', '--yes');
    expect(done.err).toContain(
      `${TASK} is back at ${ID}.\nUndo it: bullpen checkpoints restore ckpt_before\n`,
    );
    expect(bodies().at(-1)).toEqual({ checkpointId: ID, what: 'both', dryRun: false });
    expect((await run('restore', ID, '--both', '--history')).code).toBe(2);
  });

  it('say that there is nothing to go back to, or why it failed', async () => {
    gateway.answers.set(`/v1/checkpoints/${ID}`, CHECKPOINT);
    const none = { count: 0, list: [] };
    const same = { ...LOOK, files: { changes: none, kept: none, conflicts: none } };
    gateway.answers.set(`/v1/tasks/${TASK}/restore`, { ...same, history: { turn: 2, messages: 0 } });
    const nothing = await run('restore', ID, '--both', '--yes');
    expect(nothing).toMatchObject({
      ...{ code: 0, out: 'no file to bring back\nno message to take back\n' },
      err: 'There is nothing to restore.\n',
    });
    expect(bodies()).toHaveLength(1);
    gateway.answers.set(`/v1/tasks/${TASK}/restore`, { ...LOOK, state: 'pending' });
    gateway.answers.set('/v1/restores/restore_1', { ...LOOK, state: 'failed', failure: 'The disk is full.' });
    const failed = await run('restore', ID);
    expect([failed.code, failed.err]).toEqual([7, expect.stringContaining('The disk is full.')]);
  });
});

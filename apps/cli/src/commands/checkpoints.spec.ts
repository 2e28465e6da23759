import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckpointView } from '@bullpen/contracts';
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
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProcessOutput, ProcessView } from '@bullpen/contracts';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (...args: string[]): Promise<RunResult> =>
  runCli(['processes', ...args], {
    env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' },
    columns: 200,
  });

const TASK = 'task_00000000000000000000000001';
const ID = 'proc_00000000000000000000000001';
const PROCESS: ProcessView = {
  ...{ id: ID, taskId: TASK, callId: 'call_1', command: 'npm run dev \u001b[2J', background: true },
  ...{ state: 'running', exitCode: null, signal: null, cause: null, limitMs: 60_000, outputBytes: 7 },
  ...{ workerId: 'worker_1', host: 'build-1', startedAt: '2026-01-01T00:00:00.000Z', endedAt: null },
};
const OUTPUT: ProcessOutput = {
  ...{ processId: ID, state: 'exited', from: 0, to: 4, size: 4, leftOut: [], encoding: 'text' },
  data: 'one\n',
};

describe('processes', () => {
  it('are listed with their state, safely', async () => {
    const failed = { ...PROCESS, id: 'proc_2', state: 'exited', exitCode: 3, background: false };
    gateway.answers.set(`/v1/tasks/${TASK}/processes`, {
      ...{ data: [PROCESS, failed], nextCursor: null, hasMore: false },
    });
    const { out } = await run('list', TASK);
    expect(out).toMatch(/00000001 .*running \(background\) +7 +npm run dev\n/);
    expect(out).toMatch(/proc_2 .*exit 3 /);
    expect(JSON.parse((await run('list', TASK, '--json')).out)).toMatchObject({ data: [{ id: ID }, {}] });
  });

  it('show why they ended', async () => {
    const killed = { ...PROCESS, state: 'timed_out', cause: 'timed out after 60000 ms' };
    gateway.answers.set(`/v1/processes/${ID}`, killed);
    expect((await run('show', ID)).out).toMatch(/state +timed out\ncause +timed out after 60000 ms\n/);
  });

  it('give their output page by page, without what would move the cursor, and with what is missing', async () => {
    const pages: ProcessOutput[] = [
      { ...OUTPUT, size: 30, data: '10%\r20%\r\u001b[31mone\u001b[0m\n' },
      { ...OUTPUT, from: 20, to: 30, size: 30, leftOut: [{ from: 4, to: 20 }], data: 'end\n' },
    ];
    gateway.onRequest = (_, path) => void gateway.answers.set(path, pages.shift());
    const { out, err } = await run('logs', ID);
    expect(out).toBe('10%\n20%\none\nend\n');
    expect(err).toBe('… 16 bytes were not kept …\n');
    expect(gateway.requests.map(({ path }) => path)).toEqual([
      expect.stringContaining('from=0'),
      expect.stringContaining('from=4'),
    ]);
  });

  it('are killed, and the command waits until they have ended', async () => {
    const killed = { ...PROCESS, state: 'killed', signal: 'SIGTERM', cause: 'stopped by ada' };
    const answers = [PROCESS, PROCESS, killed];
    gateway.onRequest = (_, path) => void gateway.answers.set(path, answers.shift());
    expect((await run('kill', ID)).out).toMatch(/state +killed\ncause +stopped by ada\n/);
  });
});

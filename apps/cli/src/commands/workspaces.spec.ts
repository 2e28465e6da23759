import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { WorkspaceView } from '@bullpen/contracts';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const AT = '2026-01-01T00:00:00.000Z';
const aWorkspace = (change: Partial<WorkspaceView>): WorkspaceView => ({
  ...{
    id: `task_${'0'.repeat(26)}`,
    rootId: `task_${'0'.repeat(26)}`,
    title: 'Fix\u001b[2J it',
    kind: 'git',
  },
  ...{ inPlace: false, state: 'kept', keptUntil: null, canRebuild: true, unsaved: false, host: 'build-1' },
  ...{ workerId: 'worker_1', diskBytes: 48_300_032, measuredAt: AT, storedBytes: 1_204, lastUsedAt: AT },
  ...change,
});
const page = (...data: WorkspaceView[]) => ({
  ...{ data, nextCursor: null, hasMore: false },
  totals: { workspaces: 40, onDisk: 3, diskBytes: 1_300_000_000, storedBytes: 52_000 },
});
const run = (...args: string[]) =>
  runCli(['workspaces', ...args], { env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' } });

it('says of each workspace where it is, what it takes and how long it stays, and sums all of them up', async () => {
  const soon = '2026-01-01T01:31:00.000Z';
  const list = page(
    aWorkspace({ state: 'open' }),
    aWorkspace({ keptUntil: soon }),
    aWorkspace({ keptUntil: AT }),
    aWorkspace({ state: 'away' }),
    aWorkspace({ state: 'away', canRebuild: false, storedBytes: null, kind: 'subtask' }),
    aWorkspace({ state: 'removed', host: null, diskBytes: null }),
    aWorkspace({ inPlace: true, kind: 'path', diskBytes: null, canRebuild: false }),
  );
  gateway.answers.set('/v1/workspaces', list);
  const { out, err, code } = await run();
  expect(code).toBe(0);
  const rows = out.split('\n');
  expect(rows[1]).toMatch(/git +build-1 +48\.3 MB +1\.2 kB +open +Fix it/);
  expect(out).toMatch(/kept, goes in 1h 30m/);
  expect(out).toContain('kept, goes within the hour');
  expect(out).toContain('host is away, can be rebuilt');
  expect(out).toMatch(/subtask .* - +host is away, only there/);
  expect(out).toContain('removed, can be rebuilt');
  expect(out).toMatch(/in place +build-1 +- /);
  expect(err).toContain('40 workspaces, 3 on disk (1.3 GB); 52.0 kB stored');
  expect(JSON.parse((await run('--json', '-n', '500')).out)).toEqual(list);
  expect(gateway.requests.map(({ path }) => path)).toEqual([
    '/v1/workspaces?limit=20',
    '/v1/workspaces?limit=200',
  ]);
});

/** `bullpen queues` and `bullpen workers`. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Flow, QueueView, WorkerList } from '@bullpen/contracts';
import { ROOT } from '@bullpen/testing';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli, type RunResult } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (args: string[]): Promise<RunResult> =>
  runCli(args, { env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' } });

const flow: Flow = { state: 'open', since: null, by: null, reason: null };
const drained: Flow = { state: 'draining', since: '2026-01-01T00:00:00.000Z', by: 'ops', reason: 'Upgrade' };
const measured = { count: 3, p50: 9_000, p95: 151_000, p99: 242_000 };
const queue: QueueView = {
  ...{ name: 'tasks', backend: 'postgres', now: '2026-01-01T00:01:00.000Z', sampledAt: null, flow },
  covers: 'all',
  total: {
    depth: { ready: 3, later: 1, running: 2, people: 7, waiting: 4, paused: 0 },
    ...{ oldestReadyMs: 252_000, inPerMinute: 6, outPerMinute: 5, wait: measured, run: measured },
  },
  tenants: [],
  slots: { total: 4, used: 2, workers: 1, closed: 0 },
  repairs: [
    {
      ...{ kind: 'lost_wake', text: 'It was put right.', lastDay: 2, ever: 9 },
      lastAt: '2026-01-01T00:00:00.000Z',
    },
  ],
  providers: [],
};
const worker = 'worker_01kb3v8r9hy5226aqts3mwd8dk';
const workers: WorkerList = {
  now: '2026-01-01T00:01:00.000Z',
  data: [
    {
      ...{ id: worker, host: 'forge-a', pid: 1, version: '1', simulated: false, sandbox: null, slots: 4 },
      ...{ running: 1, flow: drained, startedAt: queue.now, seenAt: queue.now },
      tasks: [
        {
          ...{ id: ROOT, rootId: ROOT, title: 'Explain\u001b[2J', agent: 'general', tenantId: 'default' },
          since: '2026-01-01T00:00:00.000Z',
          doing: { taskId: ROOT, kind: 'tool', name: 'run_command', detail: 'npm test', since: queue.now },
        },
      ],
    },
  ],
};

it('queues shows the figures, the slots and what was put right', async () => {
  gateway.answers.set('/v1/queues', { data: [queue] });
  const { code, out, err } = await run(['queues']);
  expect(code).toBe(0);
  expect(out).toMatch(/all +3 +1 +2 +7 +4 +4m 12s +6 +5 /);
  expect(err).toContain('2 of 4 slots in use on 1 worker');
  expect(err).toContain('repaired 2 times in the last day, last 1m ago: It was put right.');
  expect(JSON.parse((await run(['queues', '--json'])).out)).toEqual({ data: [queue] });
});

it('queues says that it is closed, by whom and why, and drains it', async () => {
  gateway.answers.set('/v1/queues', { data: [{ ...queue, flow: drained }] });
  expect((await run(['queues'])).err).toContain('The queue is draining by ops 1m ago: Upgrade');
  gateway.answers.set('/v1/queues/tasks/drain', { ...queue, flow: drained });
  const { err } = await run(['queues', 'drain', '--reason', 'Upgrade']);
  expect(err).toContain('the queue is draining by ops');
  expect(gateway.requests.at(-1)).toMatchObject({ method: 'POST', body: { reason: 'Upgrade' } });
});

it('workers shows what each runs, safely, and takes a piece of an id', async () => {
  gateway.answers.set('/v1/workers', workers);
  const { out } = await run(['workers']);
  expect(out).toMatch(/forge-a +draining +1\/4 +Explain +run_command npm test +1m/);
  const [pausing] = workers.data;
  gateway.answers.set(`/v1/workers/${worker}/pause`, { ...pausing, flow: { ...drained, state: 'paused' } });
  expect((await run(['workers', 'pause', 'wd8dk'])).err).toContain(`${worker} is paused by ops`);
});

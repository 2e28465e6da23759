/** Examples: the queue and its workers. */
import type { Flow, QueueFigures, QueueView, WorkerView } from '@bullpen/contracts';
import { at, TASK_ID, WORKER_ID, type OperationExample } from './example.js';

const open: Flow = { state: 'open', since: null, by: null, reason: null };
const closed = (state: 'paused' | 'draining'): Flow => ({
  ...{ state, since: at('09:31:00'), by: 'local', reason: 'Upgrade to 0.2' },
});

const figures: QueueFigures = {
  depth: { ready: 3, later: 1, running: 14, people: 7, waiting: 4, paused: 0 },
  oldestReadyMs: 252_000,
  inPerMinute: 6,
  outPerMinute: 5,
  wait: { count: 120, p50: 9_000, p95: 151_000, p99: 242_000 },
  run: { count: 112, p50: 250_000, p95: 2_280_000, p99: 6_600_000 },
};

const queue: QueueView = {
  name: 'tasks',
  backend: 'postgres',
  now: at('09:30:00'),
  sampledAt: at('09:29:50'),
  flow: open,
  covers: 'all',
  total: figures,
  tenants: [{ ...figures, tenantId: 'team-a' }],
  slots: { total: 16, used: 14, workers: 4, closed: 0 },
  repairs: [
    {
      ...{ kind: 'expired_lease', lastDay: 1, ever: 4, lastAt: at('08:30:00') },
      text: 'The lease of a lost worker ran out; the task was queued again.',
    },
  ],
  providers: [],
};

const worker: WorkerView = {
  ...{ id: WORKER_ID, host: 'host-1', pid: 4_711, version: '0.1.0', simulated: false, sandbox: 'bubblewrap' },
  ...{ slots: 8, running: 1, flow: open, startedAt: at('09:00:00'), seenAt: at('09:29:58') },
  tasks: [
    {
      ...{ id: TASK_ID, rootId: TASK_ID, title: 'Say hello', agent: 'explorer', tenantId: 'team-a' },
      since: at('09:29:30'),
      doing: {
        ...{ taskId: TASK_ID, kind: 'tool', name: 'run_command', detail: 'npm test' },
        since: at('09:29:52'),
      },
    },
  ],
};

const named = { name: 'tasks' };
const one = { id: WORKER_ID };
const body = { reason: 'Upgrade to 0.2' };

export const queueExamples = {
  listQueues: { answer: { data: [queue] } },
  getQueueSamples: {
    parameters: { window: '1h' },
    answer: {
      ...{ window: '1h', covers: 'all', from: at('08:30:10'), now: at('09:30:00'), bucketMs: 10_000 },
      data: [
        {
          ...{
            at: at('09:29:50'),
            ready: 3,
            running: 14,
            people: 7,
            waiting: 4,
            inPerMinute: 6,
            outPerMinute: 5,
          },
          ...{ oldestReadyMs: 252_000, waitP95Ms: 151_000, runP95Ms: 2_280_000, slots: 16 },
        },
      ],
    },
  },
  pauseQueue: { parameters: named, body, answer: { ...queue, flow: closed('paused') } },
  drainQueue: { parameters: named, body, answer: { ...queue, flow: closed('draining') } },
  resumeQueue: { parameters: named, body: {}, answer: queue },
  listWorkers: { answer: { now: at('09:30:00'), data: [worker] } },
  pauseWorker: { parameters: one, body, answer: { ...worker, flow: closed('paused') } },
  drainWorker: { parameters: one, body, answer: { ...worker, flow: closed('draining') } },
  resumeWorker: { parameters: one, body: {}, answer: worker },
} satisfies Record<string, OperationExample>;

/** Whether work flows: the queue and its workers, as they stand and over time. */
import { z } from 'zod';
import { TaskId } from './ids.js';
import { ProviderKeyView } from './system.js';
import { Sandbox } from './sandbox.js';
import { Doing } from './tree-summary.js';
import { readableText } from './text.js';

/**
 * `draining` queue: only trees that have begun go on; worker: takes nothing new, and hands what it runs to others at the next border.
 * `paused`: nothing starts or goes on from here; what runs right now is let run until it waits or ends.
 */
export const FlowState = z.enum(['open', 'draining', 'paused']);
export type FlowState = z.infer<typeof FlowState>;

/** Whether a queue or a worker takes work, and who decided that when. */
export const Flow = z
  .object({
    state: FlowState,
    since: z.iso.datetime().nullable().describe('Null: it was never changed.'),
    by: z.string().nullable().describe('The name of the key that changed it.'),
    reason: z.string().nullable(),
  })
  .meta({ id: 'Flow' });
export type Flow = z.infer<typeof Flow>;

/** Body of `POST …/pause`, `…/drain` and `…/resume` of a queue or a worker. */
export const ChangeFlow = z.strictObject({ reason: readableText(500).optional() }).meta({ id: 'ChangeFlow' });
export type ChangeFlow = z.infer<typeof ChangeFlow>;

/** Tasks by where they stand. `ready` and `later` are the queued ones: due, and not due yet. */
const QueueDepth = z
  .object({
    ready: z.int(),
    later: z.int(),
    running: z.int(),
    people: z.int().describe('They wait for a person: an approval, an answer, a budget.'),
    waiting: z.int().describe('They wait for something else: subtasks, a time, a provider, a message.'),
    paused: z.int(),
  })
  .meta({ id: 'QueueDepth' });

/** Milliseconds; null while nothing has been measured. */
const Percentiles = z
  .object({
    count: z.int().describe('How many tasks it is made from.'),
    p50: z.int().nullable(),
    p95: z.int().nullable(),
    p99: z.int().nullable(),
  })
  .meta({ id: 'Percentiles' });

/** The flow of all tasks, or of those of one tenant. */
export const QueueFigures = z
  .object({
    depth: QueueDepth,
    oldestReadyMs: z
      .int()
      .nullable()
      .describe('How long the task has been ready that has been so for the longest.'),
    inPerMinute: z.number().describe('Tasks that came in during the last minute.'),
    outPerMinute: z.number().describe('Tasks that ended during the last minute.'),
    wait: Percentiles.describe('From due to the first start, of tasks that started in the last hour.'),
    run: Percentiles.describe('Working time of tasks that ended in the last hour.'),
  })
  .meta({ id: 'QueueFigures' });
export type QueueFigures = z.infer<typeof QueueFigures>;

export const TenantFigures = QueueFigures.extend({ tenantId: z.string() }).meta({ id: 'TenantFigures' });
export type TenantFigures = z.infer<typeof TenantFigures>;

/** A kind of repair of the reconciler, and how often it was needed. */
export const RepairCount = z
  .object({
    kind: z.string(),
    text: z.string().describe('What was put right, in words.'),
    lastDay: z.int().describe('In the last 24 hours.'),
    ever: z.int(),
    lastAt: z.iso.datetime(),
  })
  .meta({ id: 'RepairCount' });
export type RepairCount = z.infer<typeof RepairCount>;

export const QueueView = z
  .object({
    name: z.string(),
    backend: z.enum(['postgres', 'redis']),
    now: z.iso.datetime().describe('The clock that all ages here are reckoned by.'),
    sampledAt: z.iso.datetime().nullable().describe('When the newest stored sample was taken.'),
    flow: Flow,
    covers: z
      .enum(['all', 'tenant'])
      .describe('Without the scope `admin` only the tasks of your tenant count.'),
    total: QueueFigures,
    tenants: z.array(TenantFigures).describe('Those that have tasks in flight or had some in the last hour.'),
    slots: z.object({
      total: z.int(),
      used: z.int(),
      workers: z.int().describe('Workers that were seen in the last 30 s.'),
      closed: z.int().describe('How many of them are paused or draining.'),
    }),
    repairs: z.array(RepairCount),
    providers: z.array(ProviderKeyView).describe('Keys that are paused or parked.'),
  })
  .meta({ id: 'Queue' });
export type QueueView = z.infer<typeof QueueView>;

export const QueueList = z.object({ data: z.array(QueueView) }).meta({ id: 'QueueList' });
export type QueueList = z.infer<typeof QueueList>;

/** Spans of time that samples are kept for. */
export const SampleWindow = z.enum(['1h', '6h', '24h', '7d']);
export type SampleWindow = z.infer<typeof SampleWindow>;

/** Query of `GET /v1/queues/samples`. */
export const SamplesQuery = z
  .strictObject({
    window: SampleWindow.default('1h'),
    tenantId: z.string().max(40).optional().describe('One tenant; default: all that you may see.'),
  })
  .meta({ id: 'SamplesQuery' });
export type SamplesQuery = z.infer<typeof SamplesQuery>;

/** The averages of a bucket. Buckets in which nobody sampled are absent: that is not known, and not zero. */
export const QueueSample = z
  .object({
    at: z.iso.datetime().describe('When the bucket begins.'),
    ready: z.number(),
    running: z.number(),
    people: z.number(),
    waiting: z.number(),
    inPerMinute: z.number(),
    outPerMinute: z.number(),
    oldestReadyMs: z.int().nullable().describe('The greatest of the bucket.'),
    waitP95Ms: z.int().nullable(),
    runP95Ms: z.int().nullable(),
    slots: z.number().nullable().describe('Null in the series of one tenant.'),
  })
  .meta({ id: 'QueueSample' });
export type QueueSample = z.infer<typeof QueueSample>;

export const QueueSamples = z
  .object({
    window: SampleWindow,
    covers: z.enum(['all', 'tenant']),
    from: z.iso.datetime(),
    now: z.iso.datetime(),
    bucketMs: z.int().describe('At most 360 buckets.'),
    data: z.array(QueueSample).describe('Oldest first; the last one still fills.'),
  })
  .meta({ id: 'QueueSamples' });
export type QueueSamples = z.infer<typeof QueueSamples>;

export const WorkerTask = z
  .object({
    id: TaskId,
    rootId: TaskId,
    title: z.string(),
    agent: z.string(),
    tenantId: z.string(),
    since: z.iso.datetime().describe('When the worker took it.'),
    doing: Doing.nullable(),
  })
  .meta({ id: 'WorkerTask' });
export type WorkerTask = z.infer<typeof WorkerTask>;

export const WorkerView = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.int(),
    version: z.string(),
    simulated: z.boolean(),
    sandbox: Sandbox.nullable(),
    slots: z.int(),
    running: z.int(),
    flow: Flow,
    startedAt: z.iso.datetime(),
    seenAt: z.iso.datetime(),
    tasks: z
      .array(WorkerTask)
      .describe('What it runs, longest first; without the scope `admin` only tasks of your tenant.'),
  })
  .meta({ id: 'Worker' });
export type WorkerView = z.infer<typeof WorkerView>;

/** Workers that were seen in the last 30 s. */
export const WorkerList = z
  .object({ now: z.iso.datetime(), data: z.array(WorkerView) })
  .meta({ id: 'WorkerList' });
export type WorkerList = z.infer<typeof WorkerList>;

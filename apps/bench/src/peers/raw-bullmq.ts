/** BullMQ alone, on the same backend and with our limits on what it keeps: what dispatching costs without any of the product. */
import { bullOptions, type QueueConnection } from '@bullpen/queue';
import {
  createPostgresBackend,
  createRedisBackend,
  FlowProducer,
  Queue,
  Worker,
  type BackendFactory,
} from 'bullmq';

const NAME = 'raw';
const LIMITS = { removeOnComplete: { count: 1_000 }, removeOnFail: { count: 1_000 } };
/** About what a submitted task carries. */
const DATA = { text: 'x'.repeat(1_000) };

export interface RawQueue {
  add(): Promise<void>;
  /** From just before an add to the start of its job, in ms; one at a time. */
  addToProcess(): Promise<number>;
  /** A parent with so many children that do nothing, from its add to the start of the parent's own job, in ms. */
  flow(children: number): Promise<number>;
  /**
   * From the add of a job to its start, behind so many jobs that do nothing and were added before it, in ms; and how many of
   * those started first.
   */
  behind(jobs: number): Promise<{ ms: number; passed: number }>;
  close(): Promise<void>;
}

/** Opens a queue with a worker of `slots`; the worker starts with the first `addToProcess` or `flow`. */
export async function openRawQueue(connection: QueueConnection, slots = 16): Promise<RawQueue> {
  const backend = (
    connection.kind === 'postgres' ? createPostgresBackend : createRedisBackend
  ) as BackendFactory;
  const producer = { ...bullOptions(connection, 'producer'), defaultJobOptions: LIMITS };
  const queue = new Queue(NAME, producer, backend);
  const flows = new FlowProducer(bullOptions(connection, 'producer'), backend);
  await Promise.all([queue.waitUntilReady(), flows.waitUntilReady()]);
  let ran = 0;
  let onStart: (name: string) => void = () => undefined;
  let worker: Worker | null = null;
  const started = async (name: string): Promise<() => Promise<number>> => {
    if (worker === null) {
      worker = new Worker(
        NAME,
        (job) => {
          onStart(job.name);
          ran += 1;
          return Promise.resolve();
        },
        { ...bullOptions(connection, 'worker'), concurrency: slots },
        backend,
      ) as unknown as Worker;
      await worker.waitUntilReady();
    }
    const start = performance.now();
    const seen = new Promise<number>((resolve) => {
      onStart = (one) => {
        if (one === name) resolve(performance.now() - start);
      };
    });
    return () => seen;
  };
  return {
    add: async () => {
      await queue.add('added', DATA);
    },
    addToProcess: async () => {
      const seen = await started('timed');
      await queue.add('timed', DATA);
      return seen();
    },
    flow: async (count) => {
      const seen = await started('parent');
      const children = Array.from({ length: count }, () => ({ name: 'child', queueName: NAME, data: {} }));
      await flows.add({ name: 'parent', queueName: NAME, data: {}, opts: LIMITS, children });
      return seen();
    },
    behind: async (jobs) => {
      await addAll(queue, jobs);
      const added = performance.now();
      await queue.add('last', DATA);
      const waiting = performance.now() - added;
      const before = ran;
      const ms = waiting + (await (await started('last'))());
      return { ms, passed: ran - before - 1 };
    },
    close: async () => {
      await worker?.close();
      await flows.close();
      await queue.close();
    },
  };
}

const AT_ONCE = 500;

async function addAll(queue: Pick<Queue, 'addBulk'>, count: number): Promise<void> {
  for (let added = 0; added < count; added += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - added);
    await queue.addBulk(Array.from({ length }, () => ({ name: 'first', data: DATA })));
  }
}

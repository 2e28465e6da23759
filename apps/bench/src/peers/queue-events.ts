/** BullMQ's own live events: each watcher follows the events of a queue, from Redis, on a connection of its own. */
import { setTimeout as sleep } from 'node:timers/promises';
import { bullOptions, type QueueConnection } from '@bullpen/queue';
import { Queue, QueueEvents } from 'bullmq';

const TICK_MS = 100;

export interface EventLoad {
  readonly queues: number;
  readonly watchersEach: number;
  readonly perSecond: number;
  readonly seconds: number;
}

/** From an add to the watchers that hear of it, in ms. */
export async function queueEventLatencies(connection: QueueConnection, load: EventLoad): Promise<number[]> {
  const names = Array.from({ length: load.queues }, (_, n) => `watched-${n}`);
  const queues = names.map((name) => new Queue(name, bullOptions(connection, 'producer')));
  const watchers = names.flatMap((name) =>
    Array.from({ length: load.watchersEach }, () => new QueueEvents(name, bullOptions(connection, 'worker'))),
  );
  try {
    await Promise.all([...queues, ...watchers].map((one) => one.waitUntilReady()));
    const latencies: number[] = [];
    for (const watcher of watchers)
      watcher.on('added', ({ name }) => latencies.push(performance.now() - Number(name)));
    const adds = load.perSecond * load.seconds;
    for (let added = 0; added < adds;) {
      for (let n = 0; n < (load.perSecond * TICK_MS) / 1_000; n += 1) {
        const queue = queues[added % queues.length];
        added += 1;
        // Its name is its time: all that an event tells of a job.
        void queue?.add(String(performance.now()), {});
      }
      await sleep(TICK_MS);
    }
    await sleep(1_000);
    return latencies;
  } finally {
    await Promise.all([...queues, ...watchers].map((one) => one.close()));
  }
}

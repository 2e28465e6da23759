/** What every task queue does, and the backends to do it on. In a spec: `taskQueueContract('BullMQ on Redis', open)`. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AnnouncedWake, WakeJob } from '@bullpen/contracts';
import { testDatabase, testRedis, type TestDatabase } from '@bullpen/testing';
import type { QueueConnection } from '../connection.js';
import type { TaskQueue } from '../task-queue.js';
import { aWake } from './builders.js';

/** A queue of its own with nothing in it, and a look at what workers would be given. */
export interface QueueUnderTest {
  readonly queue: TaskQueue;
  waiting(): Promise<WakeJob[]>;
  close(): Promise<void>;
}

export function taskQueueContract(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`${name} as a task queue`, () => {
    let under: QueueUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());

    it('hands over wakes in the order in which they were announced, as pointers and nothing else', async () => {
      const wakes = [aWake(), aWake({ wake: 7 }), aWake()];

      expect(await under.queue.announce(wakes)).toEqual({ announced: wakes, failed: [] });

      expect(await under.waiting()).toEqual(wakes.map(({ taskId, wake }) => ({ v: 1, taskId, wake })));
    });

    it('ignores an announcement that it has seen', async () => {
      const wake = aWake();
      await under.queue.announce([wake]);

      expect(await under.queue.announce([wake, wake])).toEqual({ announced: [wake, wake], failed: [] });

      expect(await under.waiting()).toHaveLength(1);
    });

    it('hands over a wake again when it is announced with a higher number of tries', async () => {
      const wake = aWake();
      await under.queue.announce([wake]);

      await under.queue.announce([{ ...wake, tries: 1 }]);
      await under.queue.announce([{ ...wake, tries: 2 }]);

      expect(await under.waiting()).toHaveLength(3);
    });

    it('fails an invalid wake alone', async () => {
      const [before, after] = [aWake(), aWake()];
      const colons = aWake({ taskId: 'a:b' });
      const zero = aWake({ wake: 0 });

      const result = await under.queue.announce([before, colons, zero, after]);

      expect(result).toEqual({ announced: [before, after], failed: [colons, zero] });
      expect((await under.waiting()).map(({ taskId }) => taskId)).toEqual([before.taskId, after.taskId]);
    });

    it('has nothing to do for an empty list', async () => {
      expect(await under.queue.announce([])).toEqual({ announced: [], failed: [] });
    });

    it('shows as delayed what it is told to and nothing else, apart from what waits', async () => {
      const [first, second, third] = [aWake(), aWake({ wake: 3 }), aWake()];
      const due = ({ taskId, wake }: AnnouncedWake) => ({ taskId, wake, dueInMs: 3_600_000 });
      await under.queue.announce([first]);

      await under.queue.showDelayed([due(first), due(second)]);
      await under.queue.showDelayed([due(second), due(second), due(third)]);
      expect(await under.queue.depth()).toMatchObject({ waiting: 1, delayed: 2 });

      await under.queue.showDelayed([due(first)]);
      expect(await under.queue.depth()).toMatchObject({ waiting: 1, delayed: 1 });
      await under.queue.showDelayed([]);
      expect(await under.queue.depth()).toMatchObject({ waiting: 1, delayed: 0 });
    });

    it('counts what waits', async () => {
      await under.queue.announce([aWake(), aWake()]);

      expect(await under.queue.depth()).toMatchObject({ waiting: 2, active: 0, failed: 0 });
      await expect(under.queue.ping()).resolves.toBeUndefined();
    });

    it('tells which wakes wait in line', async () => {
      const [here, lost] = [aWake(), aWake()];
      await under.queue.announce([here]);

      expect(await under.queue.placesOf([here, lost])).toEqual(['waiting', 'gone']);
    });

    it('fails announcements and says that it is unreachable once it is closed', async () => {
      const wake = aWake();
      await under.queue.close();
      await under.queue.close();

      expect(await under.queue.announce([wake])).toEqual({ announced: [], failed: [wake] });
      await expect(under.queue.ping()).rejects.toMatchObject({ code: 'queue_unreachable' });
      await expect(under.queue.placesOf([wake])).rejects.toMatchObject({ code: 'queue_unreachable' });
      await expect(under.queue.depth()).rejects.toMatchObject({ code: 'queue_unreachable' });
      await expect(under.queue.showDelayed([{ ...wake, dueInMs: 60_000 }])).resolves.toBeUndefined();
    });
  });
}

export interface Backend {
  /** A connection that no other test uses. */
  connection(): Promise<QueueConnection>;
  close(): Promise<void>;
}

async function redisBackend(): Promise<Backend> {
  const server = await testRedis();
  let n = 0;
  return {
    connection: () => {
      n += 1;
      return Promise.resolve({ kind: 'redis', redisUrl: server.url, prefix: `t${n}` });
    },
    close: () => server.stop(),
  };
}

function postgresBackend(): Promise<Backend> {
  const databases: TestDatabase[] = [];
  return Promise.resolve({
    connection: async () => {
      const database = await testDatabase();
      databases.push(database);
      return { kind: 'postgres', databaseUrl: database.url };
    },
    close: async () => {
      await Promise.all(databases.map((database) => database.drop()));
    },
  });
}

/** `describe.each` over both. */
export const BACKENDS = [
  ['Redis', redisBackend],
  ['Postgres', postgresBackend],
] as const;

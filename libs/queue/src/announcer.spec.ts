import { describe, expect, it } from '@jest/globals';
import type { BusMessage } from '@bullpen/contracts';
import { newId, silentLogger } from '@bullpen/platform';
import { Announcer } from './announcer.js';
import { InlineTaskQueue } from './inline-task-queue.js';
import type { TaskQueue, Wake } from './task-queue.js';

function setUp(
  queue: TaskQueue,
  markAnnounced: (wakes: readonly Wake[]) => Promise<void> = () => Promise.resolve(),
) {
  const told: BusMessage[] = [];
  const marked: Wake[] = [];
  const announcer = new Announcer({
    queue,
    bus: { publish: (message) => told.push(message) },
    markAnnounced: async (wakes) => {
      await markAnnounced(wakes);
      marked.push(...wakes);
    },
    logger: silentLogger(),
  });
  return { announcer, told, marked };
}

const failing: TaskQueue = {
  showDelayed: () => Promise.resolve(),
  announce: (wakes) => Promise.resolve({ announced: [], failed: wakes }),
  depth: () => Promise.reject(new Error('away')),
  ping: () => Promise.reject(new Error('away')),
  close: () => Promise.resolve(),
};

describe('the announcer', () => {
  const taskId = newId('task');
  const place = { tenantId: 'default', rootId: taskId };
  const effects = {
    wakes: [{ taskId, wake: 3 }],
    rows: [{ ...place, taskId, seq: 7 }],
    cancels: [place],
  };

  it('tells queue and bus what a commit did, and remembers what was announced', async () => {
    const queue = new InlineTaskQueue();
    const { announcer, told, marked } = setUp(queue);
    announcer.committed(effects);
    await announcer.settled();
    expect(queue.waiting()).toMatchObject([{ taskId, wake: 3 }]);
    expect(told.map(({ kind }) => kind)).toEqual(['rows', 'cancel']);
    expect(marked).toEqual([{ taskId, wake: 3, tries: 0 }]);
  });

  it('remembers the announcements of many commits together', async () => {
    const calls: number[] = [];
    const { announcer, marked } = setUp(new InlineTaskQueue(), (wakes) => {
      calls.push(wakes.length);
      return Promise.resolve();
    });
    for (let wake = 1; wake <= 5; wake += 1) announcer.committed({ ...effects, wakes: [{ taskId, wake }] });
    await announcer.settled();
    expect(calls).toEqual([5]);
    expect(marked.map(({ wake }) => wake)).toEqual([1, 2, 3, 4, 5]);
  });

  it('marks nothing that the queue did not take, so that the reconciler finds it', async () => {
    const { announcer, marked } = setUp(failing);
    expect(await announcer.announce([{ taskId, wake: 1, tries: 0 }])).toBe(0);
    expect(marked).toEqual([]);
  });

  it('never throws at whoever committed, also when nothing can be remembered', async () => {
    const { announcer } = setUp(new InlineTaskQueue(), () => Promise.reject(new Error('no database')));
    announcer.committed(effects);
    await expect(announcer.settled()).resolves.toBeUndefined();
  });
});

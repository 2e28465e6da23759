import { describe, expect, it } from '@jest/globals';
import type { AnnouncedWake, BusMessage, Wake } from '@bullpen/contracts';
import { newId, silentLogger } from '@bullpen/platform';
import { Announcer, type Backlog } from './announcer.js';
import { InlineTaskQueue } from './testing/inline-task-queue.js';
import type { TaskQueue } from './task-queue.js';

/** A backlog that admits everything, and remembers what it was told. */
class OpenBacklog implements Backlog {
  readonly rounds: (readonly Wake[])[] = [];
  readonly refusals: AnnouncedWake[] = [];
  readonly repeats: AnnouncedWake[] = [];

  admit(fresh: readonly Wake[]): Promise<readonly AnnouncedWake[]> {
    this.rounds.push(fresh);
    return Promise.resolve(fresh.map((wake) => ({ ...wake, tries: 0 })));
  }
  refused(wakes: readonly AnnouncedWake[]): Promise<void> {
    this.refusals.push(...wakes);
    return Promise.resolve();
  }
  repeated(wakes: readonly AnnouncedWake[]): Promise<void> {
    this.repeats.push(...wakes);
    return Promise.resolve();
  }
}

function setUp(queue: TaskQueue, backlog = new OpenBacklog()) {
  const told: BusMessage[] = [];
  const bus = { publish: (message: BusMessage) => void told.push(message) };
  return { announcer: new Announcer({ queue, bus, backlog, logger: silentLogger() }), told, backlog };
}

const failing: TaskQueue = {
  showDelayed: () => Promise.resolve(),
  announce: (wakes) => Promise.resolve({ announced: [], failed: wakes }),
  placesOf: () => Promise.reject(new Error('away')),
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

  it('tells the bus what a commit did, and the queue what the backlog admits', async () => {
    const queue = new InlineTaskQueue();
    const { announcer, told } = setUp(queue);
    announcer.committed(effects);
    await announcer.settled();
    expect(queue.waiting()).toMatchObject([{ taskId, wake: 3 }]);
    expect(told.map(({ kind }) => kind)).toEqual(['rows', 'cancel']);
  });

  it('announces nothing that the backlog keeps', async () => {
    const queue = new InlineTaskQueue();
    const { announcer, backlog } = setUp(queue);
    backlog.admit = () => Promise.resolve([]);
    announcer.committed(effects);
    await announcer.settled();
    expect(queue.waiting()).toEqual([]);
  });

  it('serves all that ask during a round with the next one', async () => {
    const { announcer, backlog } = setUp(new InlineTaskQueue());
    const wakes = Array.from({ length: 100 }, () => ({ taskId: newId('task'), wake: 1 }));
    for (const wake of wakes) announcer.committed({ wakes: [wake], rows: [], cancels: [] });
    void announcer.dispatch();
    await announcer.settled();
    expect(backlog.rounds.map((fresh) => fresh.length)).toEqual([1, 99]);
  });

  it('gives back what the queue did not take, so that the reconciler announces it again', async () => {
    const { announcer, backlog } = setUp(failing);
    announcer.committed(effects);
    await announcer.settled();
    expect(backlog.refusals).toEqual([{ taskId, wake: 3, tries: 0 }]);
    expect(await announcer.repeat([{ taskId, wake: 3, tries: 1 }])).toBe(0);
    expect(backlog.repeats).toEqual([]);
  });

  it('remembers what it announced once more', async () => {
    const { announcer, backlog } = setUp(new InlineTaskQueue());
    expect(await announcer.repeat([{ taskId, wake: 3, tries: 1 }])).toBe(1);
    expect(backlog.repeats).toEqual([{ taskId, wake: 3, tries: 1 }]);
  });

  it('never throws at whoever committed, and goes on when the store answers again', async () => {
    const queue = new InlineTaskQueue();
    const { announcer, backlog } = setUp(queue);
    const admit = backlog.admit.bind(backlog);
    backlog.admit = () => Promise.reject(new Error('no database'));
    announcer.committed(effects);
    await expect(announcer.settled()).resolves.toBeUndefined();
    backlog.admit = admit;
    await announcer.dispatch([{ taskId, wake: 4 }]);
    await announcer.settled();
    expect(queue.waiting()).toMatchObject([{ taskId, wake: 4 }]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { wakeJob, wakeJobId } from './task-queue.js';
import { aWake } from './testing/builders.js';
import { InlineTaskQueue } from './testing/inline-task-queue.js';
import { taskQueueContract } from './testing/task-queue.contract.js';

describe('the job id of a wake', () => {
  it('names task and wake, and from the second announcement on the number of earlier ones', () => {
    const wake = aWake({ wake: 3 });

    expect(wakeJobId(wake)).toBe(`${wake.taskId}-3`);
    expect(wakeJobId({ ...wake, tries: 1 })).toBe(`${wake.taskId}-3-r1`);
    expect(wakeJobId({ ...wake, tries: 12 })).toBe(`${wake.taskId}-3-r12`);
  });

  it.each([
    ['a foreign id', aWake({ taskId: 'run_01k6r8v0g9f3h8t7m2n4p6q8rs' })],
    ['a colon', aWake({ taskId: 'a:b' })],
    ['a number', aWake({ taskId: '12' })],
    ['wake zero', aWake({ wake: 0 })],
    ['half a wake', aWake({ wake: 1.5 })],
    ['negative tries', aWake({ tries: -1 })],
    ['half a try', aWake({ tries: 0.5 })],
  ])('is refused for %s', (_what, wake) => {
    expect(() => wakeJobId(wake)).toThrow(expect.objectContaining({ code: 'internal_error' }));
  });

  it('leaves the payload alone: however often it is announced, it is the same pointer', () => {
    const wake = aWake({ tries: 4 });

    expect(wakeJob(wake)).toEqual({ v: 1, taskId: wake.taskId, wake: 1 });
  });
});

taskQueueContract('InlineTaskQueue', () => {
  const queue = new InlineTaskQueue();
  return Promise.resolve({
    queue,
    waiting: () => Promise.resolve(queue.waiting()),
    close: () => queue.close(),
  });
});

describe('InlineTaskQueue', () => {
  it('runs what waits and what is announced meanwhile, and goes on after a throw', async () => {
    const queue = new InlineTaskQueue();
    const [first, second, third] = [aWake(), aWake(), aWake()];
    await queue.announce([first, second]);
    const ran: string[] = [];

    const count = await queue.drain(async ({ taskId }) => {
      ran.push(taskId);
      if (taskId === first.taskId) throw new Error('broken');
      if (taskId === second.taskId) await queue.announce([third]);
    });

    expect(count).toBe(3);
    expect(ran).toEqual([first.taskId, second.taskId, third.taskId]);
    expect(await queue.depth()).toMatchObject({ waiting: 0, completed: 2, failed: 1 });
  });
});

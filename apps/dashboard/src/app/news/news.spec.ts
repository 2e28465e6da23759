import type { StreamItem } from '@bullpen/client';
import { describe, expect, it } from '@jest/globals';
import { heard, NOTHING, partsOf, type News } from './news.js';

const event = (type: string, data: object, taskId = 'task_a', rootId = 'task_a'): StreamItem =>
  ({ type, data, taskId, rootId, seq: 1, cursor: '1', at: '' }) as unknown as StreamItem;

const sum = (items: readonly StreamItem[], shown: string | null = null): News =>
  items.reduce((news, item) => heard(news, item, shown), NOTHING);

describe('what is said of a page that is not seen', () => {
  it('sums up what happened: how much waits by now, and what ended', () => {
    const news = sum([
      event('interaction.opened', {}),
      event('interaction.opened', {}),
      event('task.status_changed', { to: 'completed' }),
      event('task.status_changed', { to: 'failed' }),
      event('task.status_changed', { to: 'running' }),
    ]);
    expect(partsOf(news, 3)).toEqual([
      ['news.waits', { n: 3 }],
      ['news.completed', { n: 1 }],
      ['news.failed', { n: 1 }],
    ]);
  });

  it('tells the calls of the task that is shown, and of no other', () => {
    const calls = [
      event('tool.finished', { state: 'done' }),
      event('tool.finished', { state: 'errored' }),
      event('tool.finished', { state: 'errored' }, 'task_b', 'task_b'),
    ];
    expect(partsOf(sum(calls, 'task_a'), 0)).toEqual([
      ['news.calls', { n: 2 }],
      ['news.failedCalls', { n: 1 }],
    ]);
    expect(partsOf(sum(calls), 0)).toEqual([]);
  });

  it('says nothing of subtasks that end, of text that streams, and of an ask that is answered already', () => {
    const items = [
      event('task.status_changed', { to: 'completed' }, 'task_child'),
      {
        type: 'message.delta',
        data: { text: 'x' },
        taskId: 'task_a',
        rootId: 'task_a',
      } as unknown as StreamItem,
      event('interaction.opened', {}),
    ];
    expect(partsOf(sum(items, 'task_a'), 0)).toEqual([]);
  });
});

/** What has happened, summed up for whoever hears the page and does not see it. Pure. */
import { isStored, type StreamItem } from '@bullpen/client';
import type { TextKey } from '../../i18n/keys.js';

/** How often each thing happened since the last message. */
export interface News {
  readonly asks: number;
  readonly completed: number;
  readonly failed: number;
  /** Of the task that is shown. */
  readonly calls: number;
  readonly failedCalls: number;
}

export const NOTHING: News = { asks: 0, completed: 0, failed: 0, calls: 0, failedCalls: 0 };

/** `shown`: the task whose page is open. Ends of subtasks are their parent's matter, and what streams is not told at all. */
export function heard(news: News, item: StreamItem, shown: string | null): News {
  if (!isStored(item)) return news;
  switch (item.type) {
    case 'interaction.opened':
      return { ...news, asks: news.asks + 1 };
    case 'task.status_changed':
      if (item.taskId !== item.rootId) return news;
      if (item.data.to === 'completed') return { ...news, completed: news.completed + 1 };
      return item.data.to === 'failed' ? { ...news, failed: news.failed + 1 } : news;
    case 'tool.finished':
      if (item.taskId !== shown) return news;
      return {
        ...news,
        calls: news.calls + 1,
        failedCalls: news.failedCalls + (item.data.state === 'errored' ? 1 : 0),
      };
    default:
      return news;
  }
}

type Part = readonly [TextKey, { readonly n: number }];

/** The sentences of a message; `waits`: how much waits for the person by now. None: nothing is worth to be said. */
export function partsOf({ asks, completed, failed, calls, failedCalls }: News, waits: number): Part[] {
  const parts: Part[] = [
    ['news.waits', { n: asks > 0 ? waits : 0 }],
    ['news.completed', { n: completed }],
    ['news.failed', { n: failed }],
    ['news.calls', { n: calls }],
    ['news.failedCalls', { n: failedCalls }],
  ];
  return parts.filter(([, { n }]) => n > 0);
}

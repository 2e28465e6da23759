/** What the screen of a task reads beside its events. */
import { isStored, type StreamItem } from '@bullpen/client';
import type { TaskEvent, TaskView } from '@bullpen/contracts';
import { queryOptions, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useLiveItems } from '../../app/live/live-context.js';
import { Refresher } from '../../app/live/refresher.js';

export const treeQuery = (rootId: string) =>
  queryOptions({
    queryKey: ['tree', rootId],
    queryFn: ({ signal }) => bullpen.tasks.tree(rootId, { signal }),
  });

export const timelineQuery = (rootId: string) =>
  queryOptions({
    queryKey: ['tree', rootId, 'timeline'],
    queryFn: ({ signal }) => bullpen.tasks.timeline(rootId, { signal }),
  });

export const usageQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['tree', taskId, 'usage'],
    queryFn: ({ signal }) => bullpen.tasks.usage(taskId, { signal }),
  });

/** Part of the task itself: each of its events reads it anew. */
export const transitionsQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId, 'transitions'],
    queryFn: ({ signal }) => bullpen.tasks.transitions(taskId, { signal }),
  });

export const attemptsQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['attempts', taskId],
    queryFn: ({ signal }) => bullpen.tasks.attempts(taskId, { signal }),
  });

/** Messages that the agent has not read yet. */
export const waitingMessagesQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['messages', taskId],
    queryFn: async ({ signal }) => {
      const { data } = await bullpen.tasks.messages(taskId, { limit: 200, signal });
      return data.filter(({ deliveredAt, withdrawnAt }) => deliveredAt === null && withdrawnAt === null);
    },
  });

export const checkpointsQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['checkpoints', taskId],
    queryFn: ({ signal }) => bullpen.checkpoints.list(taskId, { limit: 50 }, { signal }),
  });

/** From which checkpoint to which; without the first one: all that the task changed. Without the second one: to the newest state. */
export interface Range {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const changesQuery = (taskId: string, { from, to }: Range = {}) =>
  queryOptions({
    queryKey: ['checkpoints', taskId, 'diff', from, to],
    queryFn: ({ signal }) =>
      from === undefined
        ? bullpen.checkpoints.diff(taskId, { signal })
        : bullpen.checkpoints.compare(from, to, { signal }),
  });

/** The same as a patch. */
export const patchQuery = (taskId: string, { from, to }: Range) =>
  queryOptions({
    queryKey: ['checkpoints', taskId, 'patch', from, to],
    queryFn: async ({ signal }) =>
      new Response(
        await (from === undefined
          ? bullpen.checkpoints.patch(taskId, signal)
          : bullpen.checkpoints.comparePatch(from, to, signal)),
      ).text(),
  });

/** What is pending in a tree, oldest first. */
export const asksOfTreeQuery = (rootId: string) =>
  queryOptions({
    queryKey: ['interactions', 'tree', rootId],
    queryFn: ({ signal }) => bullpen.interactions.list({ rootId, limit: 200 }, { signal }),
  });

/** What readers of a share would not be shown. */
export const sharePreviewQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['shares', taskId, 'preview'],
    queryFn: ({ signal }) => bullpen.shares.preview(taskId, { signal }),
    // What goes out is what there is now.
    staleTime: 0,
  });

export const sharesQuery = (taskId: string) =>
  queryOptions({
    queryKey: ['shares', taskId],
    queryFn: ({ signal }) => bullpen.shares.list(taskId, { signal }),
    staleTime: 0,
  });

/** The whole output of a call never changes. */
export const outputQuery = (taskId: string, callId: string) =>
  queryOptions({
    queryKey: ['output', callId],
    queryFn: ({ signal }) => bullpen.tasks.toolOutput(taskId, callId, { signal }),
    staleTime: Infinity,
  });

/** A tree of a thousand tasks takes a while to read, and changes many times a second. In ms. */
const GATHER_MS = 1_000;

/** Reads anew what events of the tree have changed. */
export function useTreeRefresh({ id, rootId }: Pick<TaskView, 'id' | 'rootId'>): void {
  const queries = useQueryClient();
  const [refresher] = useState(() => new Refresher(queries));
  const hear = useCallback(
    (item: StreamItem) => {
      if (item.rootId !== rootId || !isStored(item)) return;
      for (const key of keysOf(item, id)) refresher.stale(key, GATHER_MS);
    },
    [refresher, id, rootId],
  );
  useLiveItems(hear);
  useEffect(() => () => refresher.stop(), [refresher]);
}

function keysOf(
  { type, taskId, rootId }: Pick<TaskEvent, 'type' | 'taskId' | 'rootId'>,
  shown: string,
): QueryKey[] {
  switch (type) {
    case 'task.created':
    case 'task.status_changed':
    case 'task.updated':
      return [['tree', rootId]];
    case 'usage.recorded':
      return [
        ['tree', rootId],
        ['tree', shown, 'usage'],
      ];
    case 'attempt.started':
    case 'attempt.ended':
      return [['attempts', taskId]];
    case 'message.user':
    case 'message.queued':
    case 'message.edited':
    case 'message.withdrawn':
      return [['messages', taskId]];
    default:
      return [];
  }
}

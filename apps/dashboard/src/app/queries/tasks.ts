/** Lists of tasks, and single ones. */
import type { TaskFilter } from '@bullpen/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

const PAGE = 50;

/** Newest first, page after page. */
export const tasksQuery = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: ['tasks', filter],
    queryFn: ({ pageParam, signal }) =>
      bullpen.tasks.list(
        { ...filter, trees: true, limit: PAGE, ...(pageParam !== null && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ['task', id, 'view'],
    queryFn: ({ signal }) => bullpen.tasks.get(id, { signal }),
  });

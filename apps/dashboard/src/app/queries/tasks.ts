/** Lists of tasks, and single ones. */
import type { TaskFilter } from '@bullpen/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

/** The first page fills a screen at once; whoever goes on wants many. */
const FIRST_PAGE = 50;
const PAGE = 100;

/** Newest first, page after page. */
export const tasksQuery = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: ['tasks', filter],
    queryFn: ({ pageParam, signal }) =>
      bullpen.tasks.list(
        {
          ...filter,
          trees: true,
          ...(pageParam === null ? { limit: FIRST_PAGE } : { limit: PAGE, after: pageParam }),
        },
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

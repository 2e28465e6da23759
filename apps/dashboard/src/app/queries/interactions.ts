/** What waits for a person. */
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

/** More than one looks through at once; the rest comes as these are answered. */
const PAGE = 200;

/** All that is pending, oldest first; `hasMore` when there are even more. */
export const pendingQuery = queryOptions({
  queryKey: ['interactions', 'pending'],
  queryFn: ({ signal }) => bullpen.interactions.list({ limit: PAGE }, { signal }),
});

export const interactionQuery = (id: string) =>
  queryOptions({
    queryKey: ['interactions', 'one', id],
    queryFn: ({ signal }) => bullpen.interactions.get(id, { signal }),
  });

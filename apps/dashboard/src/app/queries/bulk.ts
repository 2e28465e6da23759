/** Actions on many tasks. Nothing announces their progress, so it is looked at while they run. */
import type { BulkActionView } from '@bullpen/contracts';
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

const LOOK_MS = 1_000;

const goesOn = ({ state }: Pick<BulkActionView, 'state'>): boolean => state === 'running';

/** The newest ones. */
export const bulkQuery = queryOptions({
  queryKey: ['bulk'],
  queryFn: ({ signal }) => bullpen.bulkActions.list({ limit: 5 }, { signal }),
  refetchInterval: ({ state }) => (state.data?.data.some(goesOn) ? LOOK_MS : false),
});

export const bulkActionQuery = (id: string) =>
  queryOptions({
    queryKey: ['bulk', id],
    queryFn: ({ signal }) => bullpen.bulkActions.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data === undefined || goesOn(state.data) ? LOOK_MS : false),
  });

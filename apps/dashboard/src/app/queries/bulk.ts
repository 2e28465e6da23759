/** Actions on many tasks. */
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

/** The newest ones. */
export const bulkQuery = queryOptions({
  queryKey: ['bulk'],
  queryFn: ({ signal }) => bullpen.bulkActions.list({ limit: 5 }, { signal }),
});

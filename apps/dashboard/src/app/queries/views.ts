/** Saved views. */
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

export const viewsQuery = queryOptions({
  queryKey: ['views'],
  queryFn: ({ signal }) => bullpen.views.list({ signal }),
});

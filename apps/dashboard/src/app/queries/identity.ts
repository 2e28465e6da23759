/** Who looks, with which keys, and which models there are. */
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) => bullpen.identity.me({ signal }),
  staleTime: Infinity,
});

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => bullpen.identity.keys({ signal }),
});

export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: ({ signal }) => bullpen.identity.models({ signal }),
  staleTime: Infinity,
});

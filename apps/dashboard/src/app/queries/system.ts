/** The state of the installation. */
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

export const systemQuery = queryOptions({
  queryKey: ['system'],
  queryFn: ({ signal }) => bullpen.system.info({ signal }),
});

export const agentsQuery = queryOptions({
  queryKey: ['agents'],
  queryFn: ({ signal }) => bullpen.agents.list({ signal }),
  staleTime: Infinity,
});

export const modesQuery = queryOptions({
  queryKey: ['modes'],
  queryFn: ({ signal }) => bullpen.modes.list({ signal }),
  staleTime: Infinity,
});

/** What the installation is set to. */
import { queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

export const policiesQuery = queryOptions({
  queryKey: ['policies'],
  queryFn: ({ signal }) => bullpen.policies.list({ signal }),
});

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => bullpen.webhooks.list({ signal }),
});

export const providersQuery = queryOptions({
  queryKey: ['providers'],
  queryFn: ({ signal }) => bullpen.providers.list({ signal }),
});

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: ({ signal }) => bullpen.tenants.list({ signal }),
});

/** What was used, and what it cost. */
import type { UsageQuery } from '@bullpen/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

export const usageQuery = (query: Partial<UsageQuery>) =>
  queryOptions({
    queryKey: ['usage', query],
    queryFn: ({ signal }) => bullpen.usage.report(query, { signal }),
    placeholderData: keepPreviousData,
  });

/** Failed tasks by how they failed. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

export const failuresQuery = (from: string) =>
  queryOptions({
    queryKey: ['failures', from],
    queryFn: ({ signal }) => bullpen.tasks.failures({ from }, { signal }),
    placeholderData: keepPreviousData,
  });

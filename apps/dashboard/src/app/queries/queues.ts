/**
 * The flow of work. Events say when it has changed; beats of workers and other tenants make none that this browser is told of, and for
 * those it is looked at now and then. One sampler of the server serves everyone who looks.
 */
import type { SamplesQuery } from '@bullpen/contracts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bullpen } from '../bullpen.js';

const LOOK_MS = 15_000;

export const queuesQuery = queryOptions({
  queryKey: ['queues'],
  queryFn: ({ signal }) => bullpen.queues.list({ signal }),
  refetchInterval: LOOK_MS,
});

export const samplesQuery = (window: SamplesQuery['window']) =>
  queryOptions({
    queryKey: ['queues', 'samples', window],
    queryFn: ({ signal }) => bullpen.queues.samples({ window }, { signal }),
    refetchInterval: LOOK_MS,
    placeholderData: keepPreviousData,
  });

export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: ({ signal }) => bullpen.workers.list({ signal }),
  refetchInterval: LOOK_MS,
});

/** What was read from the gateway, kept for all screens. The live stream says when to read again; nothing polls. */
import { ApiError } from '@bullpen/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
  mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
  defaultOptions: {
    queries: {
      // The client tries again by itself; a second layer would multiply its waits.
      retry: false,
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // Browsers call a machine without internet offline, although its gateway answers.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

/** A session ends with its key, its time, or the gateway. */
function leaveWhenSignedOut(error: Error): void {
  if (error instanceof ApiError && error.code === 'unauthorized') location.assign('/login');
}

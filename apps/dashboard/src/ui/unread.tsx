/** In the place of what is being read, or could not be read; nothing once it is there. */
import type { ReactNode } from 'react';
import { FailureNote } from './failure-text.js';
import { Loading } from './loading.js';

interface Reading {
  readonly data: unknown;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

export function Unread({ query, rows = 3 }: { query: Reading; rows?: number }): ReactNode {
  const { data, error, refetch } = query;
  if (data !== undefined) return null;
  if (error !== null) return <FailureNote error={error} retry={() => void refetch()} />;
  return <Loading rows={rows} />;
}

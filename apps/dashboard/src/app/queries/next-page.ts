/** Reads on in a list of pages. A next page and a reading of what has changed would break each other off if they did not wait. */
import type { FetchNextPageOptions, InfiniteData, InfiniteQueryObserverResult } from '@tanstack/react-query';
import { useCallback, useState } from 'react';

type Result = Pick<InfiniteQueryObserverResult<InfiniteData<unknown>>, 'data' | 'isError' | 'hasNextPage'>;

export interface PagesReading extends Pick<Result, 'data'> {
  readonly fetchNextPage: (options?: FetchNextPageOptions) => Promise<Result>;
}

/** `readOn` may be called at any time; what it leads to is a page more, an error of the query, or nothing when there is no more. */
export function useNextPage(reading: PagesReading): { isReadingOn: boolean; readOn: () => void } {
  const [isReadingOn, setReadingOn] = useState(false);
  const { fetchNextPage } = reading;
  const pages = countOf(reading);
  const readOn = useCallback((): void => {
    setReadingOn(true);
    void nextPage(fetchNextPage, pages).finally(() => setReadingOn(false));
  }, [fetchNextPage, pages]);
  return { isReadingOn, readOn };
}

/** Waits for what is being read by now, and asks again when somebody else's reading came in between. Never throws: errors are the query's. */
export async function nextPage(fetchNextPage: PagesReading['fetchNextPage'], pages: number): Promise<void> {
  let result: Result;
  do result = await fetchNextPage({ cancelRefetch: false });
  while (countOf(result) <= pages && result.hasNextPage && !result.isError);
}

const countOf = ({ data }: Pick<Result, 'data'>): number => data?.pages.length ?? 0;

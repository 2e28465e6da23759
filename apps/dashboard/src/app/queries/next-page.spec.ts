import { waitFor } from '@bullpen/testing';
import { afterEach, expect, it } from '@jest/globals';
import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { Refresher } from '../live/refresher.js';
import { nextPage } from './next-page.js';

const KEY = ['tasks'];
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });

afterEach(() => queries.clear());

/** A list whose pages come when the test says so, with the version of the data at the moment at which each was asked for. */
async function list() {
  const asked: { readonly page: number; readonly give: () => void; readonly fail: () => void }[] = [];
  const data = { version: 1 };
  const observer = new InfiniteQueryObserver(queries, {
    queryKey: KEY,
    queryFn: ({ pageParam: page }) =>
      new Promise<string>((resolve, reject) => {
        const text = `page ${page}, version ${data.version}`;
        asked.push({ page, give: () => resolve(text), fail: () => reject(new Error('no answer')) });
      }),
    initialPageParam: 1,
    getNextPageParam: (_last, all) => (all.length < 3 ? all.length + 1 : undefined),
  });
  observer.subscribe(() => undefined);
  const comes = (count: number) => waitFor(() => asked.length === count, { what: `request ${count}` });
  const has = () => observer.getCurrentResult().data?.pages;
  await comes(1);
  asked[0]?.give();
  await waitFor(has, { what: 'the first page' });
  return {
    asked,
    data,
    observer,
    comes,
    has,
    readOn: () => nextPage(observer.fetchNextPage, has()?.length ?? 0),
  };
}

it('does not break off a reading of what has changed: it comes after it', async () => {
  const { asked, data, comes, has, readOn } = await list();
  data.version = 2;
  void queries.invalidateQueries({ queryKey: KEY });
  await comes(2);
  const read = readOn();
  asked[1]?.give();
  await comes(3);
  asked[2]?.give();
  await read;
  expect(has()).toEqual(['page 1, version 2', 'page 2, version 2']);
});

it('is asked for again when somebody else breaks it off', async () => {
  const { asked, comes, has, readOn } = await list();
  const read = readOn();
  await comes(2);
  void queries.invalidateQueries({ queryKey: KEY });
  await comes(3);
  asked[2]?.give();
  await comes(4);
  expect(asked.map(({ page }) => page)).toEqual([1, 2, 1, 2]);
  asked[3]?.give();
  await read;
  expect(has()).toHaveLength(2);
});

it('is not broken off by changes, which are read after it', async () => {
  const { asked, data, comes, has, readOn } = await list();
  const refresher = new Refresher(queries);
  const read = readOn();
  await comes(2);
  data.version = 2;
  refresher.stale(KEY, 1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toHaveLength(2);
  asked[1]?.give();
  await read;
  await comes(3);
  asked[2]?.give();
  await comes(4);
  asked[3]?.give();
  await waitFor(() => has()?.[0]?.endsWith('version 2'), { what: 'the change' });
  expect(has()).toEqual(['page 1, version 2', 'page 2, version 2']);
});

it('is one page when it is asked for twice', async () => {
  const { asked, comes, has, readOn } = await list();
  const both = Promise.all([readOn(), readOn()]);
  await comes(2);
  asked[1]?.give();
  await both;
  expect(has()).toHaveLength(2);
  expect(asked).toHaveLength(2);
});

it('ends with the error of the query, and at the end of the list', async () => {
  const { asked, comes, observer, readOn } = await list();
  const failing = readOn();
  await comes(2);
  asked[1]?.fail();
  await failing;
  expect(observer.getCurrentResult().isFetchNextPageError).toBe(true);
  for (const request of [3, 4]) {
    const read = readOn();
    await comes(request);
    asked[request - 1]?.give();
    await read;
  }
  await readOn();
  expect(asked).toHaveLength(4);
});

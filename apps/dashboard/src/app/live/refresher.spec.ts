import { waitFor } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { Refresher } from './refresher.js';

/** Readings that end when the test says so. */
function readings() {
  const begun: { readonly key: QueryKey; readonly end: () => void }[] = [];
  const invalidateQueries = (({ queryKey: key }: { queryKey: QueryKey }) =>
    new Promise<void>((end) => begun.push({ key, end }))) as QueryClient['invalidateQueries'];
  return { begun, refresher: new Refresher({ invalidateQueries, isFetching: () => 0 }) };
}

describe('what has changed', () => {
  it('is read once for many changes', async () => {
    const { begun, refresher } = readings();
    for (let change = 0; change < 100; change += 1) refresher.stale(['tasks'], 1);
    await waitFor(() => begun.length > 0, { what: 'a reading' });
    begun[0]?.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun.map(({ key }) => key)).toEqual([['tasks']]);
  });

  it('is read to the end however fast changes come, and once more after it', async () => {
    const { begun, refresher } = readings();
    refresher.stale(['tasks'], 1);
    await waitFor(() => begun.length === 1, { what: 'the first reading' });
    for (let change = 0; change < 100; change += 1) refresher.stale(['tasks'], 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    await waitFor(() => begun.length === 2, { what: 'the second reading' });
  });

  it('of one kind does not wait for another kind', async () => {
    const { begun, refresher } = readings();
    refresher.stale(['tasks'], 1);
    await waitFor(() => begun.length === 1, { what: 'a reading that takes long' });
    refresher.stale(['interactions'], 1);
    await waitFor(() => begun.length === 2, { what: 'the other reading' });
  });

  it('is not read any more after the end, also when a reading was under way', async () => {
    const { begun, refresher } = readings();
    refresher.stale(['tasks'], 1);
    await waitFor(() => begun.length === 1, { what: 'a reading' });
    refresher.stale(['tasks'], 1);
    refresher.stale(['usage'], 1);
    refresher.stop();
    begun[0]?.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(begun).toHaveLength(1);
  });
});

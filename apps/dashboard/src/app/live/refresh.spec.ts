import type { StreamItem } from '@bullpen/client';
import { aStory, ROOT } from '@bullpen/testing';
import { describe, expect, it } from '@jest/globals';
import { QueryClient } from '@tanstack/react-query';
import type { LiveSource } from './live-source.js';
import { refreshOnEvents, subjectsOf } from './refresh.js';

/** A source that is fed by hand. */
function aSource(): { source: LiveSource; give: (item: StreamItem) => void; connect: () => void } {
  const items = new Set<(item: StreamItem) => void>();
  const states = new Set<() => void>();
  const source = {
    state: 'live',
    onItem: (listener: (item: StreamItem) => void) => (items.add(listener), () => items.delete(listener)),
    onState: (listener: () => void) => (states.add(listener), () => states.delete(listener)),
  };
  return {
    source: source as unknown as LiveSource,
    give: (item) => items.forEach((listener) => listener(item)),
    connect: () => states.forEach((listener) => listener()),
  };
}

function known(keys: readonly (readonly string[])[]): QueryClient {
  const queries = new QueryClient();
  for (const key of keys) queries.setQueryData(key, 'read before');
  return queries;
}

const stale = (queries: QueryClient, key: readonly string[]) => queries.getQueryState(key)?.isInvalidated;

describe('what was read', () => {
  it('is read anew after events that change it, many of them at once', async () => {
    const queries = known([['tasks'], ['task', ROOT, 'view'], ['task', 'task_other', 'view'], ['usage']]);
    const { source, give } = aSource();
    const stop = refreshOnEvents(source, queries);
    const story = aStory();
    give(story.created(ROOT, 'Root'));
    give(story.state(ROOT, 'queued', 'running'));
    expect(stale(queries, ['tasks'])).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 450));
    stop();
    expect(
      [['tasks'], ['task', ROOT, 'view'], ['task', 'task_other', 'view'], ['usage']].map((key) =>
        stale(queries, key),
      ),
    ).toEqual([true, true, false, false]);
  });

  it('is read anew when the connection is there again: something may have been missed', () => {
    const queries = known([['usage']]);
    const { source, connect } = aSource();
    const stop = refreshOnEvents(source, queries);
    connect();
    stop();
    expect(stale(queries, ['usage'])).toBe(true);
  });

  it('knows which events concern the inbox', () => {
    expect(subjectsOf({ type: 'interaction.opened' })).toContain('interactions');
    expect(subjectsOf({ type: 'tool.started' })).toEqual([]);
  });
});

/** The find of a transcript: reads what is not there yet, searches all of it, and goes from match to match. */
import type { Row } from '@bullpen/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { outputQuery } from '../queries.js';
import { hasMore, matchesIn, MOST_MATCHES, type Match } from './find.js';
import type { TranscriptStore } from './transcript-store.js';

export interface Find {
  readonly query: string;
  readonly matches: readonly Match[];
  /** The one that is shown; -1: none. */
  readonly at: number;
  readonly isBusy: boolean;
  seek(query: string): void;
  /** To the next match, or with a negative step to the one before. */
  step(by: number): void;
}

/** Typing goes on for a moment. */
const QUIET_MS = 250;
/** Outputs that are read at the same time. */
const SIDE_BY_SIDE = 4;

export function useFind(store: TranscriptStore): Find {
  const queries = useQueryClient();
  const [query, seek] = useState('');
  const [found, show] = useState<Pick<Find, 'matches' | 'at' | 'isBusy'>>(NOTHING);
  useEffect(() => {
    const ending = new AbortController();
    show(query === '' ? NOTHING : (before) => ({ ...before, isBusy: true }));
    if (query === '') return;
    const timer = setTimeout(() => {
      void search(store, queries, query, ending.signal).then(
        (matches) => {
          if (!ending.signal.aborted) show({ matches, at: matches.length - 1, isBusy: false });
        },
        () => {
          if (!ending.signal.aborted) show(NOTHING);
        },
      );
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [store, queries, query]);
  const step = (by: number): void =>
    show(({ matches, at, isBusy }) => {
      const next = matches.length === 0 ? -1 : (at + by + matches.length) % matches.length;
      return { matches, at: next, isBusy };
    });
  return { query, seek, step, ...found };
}

const NOTHING = { matches: [], at: -1, isBusy: false };

/** In the order of the transcript. Throws when older events cannot be read. */
async function search(
  store: TranscriptStore,
  queries: QueryClient,
  query: string,
  signal: AbortSignal,
): Promise<Match[]> {
  await store.readAll(signal);
  const rows = [...store.model.stored, ...store.model.live];
  const outputs = await outputsOf(rows.filter(hasMore), store.model.taskId, queries, signal);
  return rows.flatMap((row) => matchesIn(row, query, outputs.get(row.key) ?? null)).slice(-MOST_MATCHES);
}

async function outputsOf(
  rows: readonly Row[],
  taskId: string,
  queries: QueryClient,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const outputs = new Map<string, string>();
  const left = [...rows];
  const read = async (): Promise<void> => {
    for (let row = left.pop(); row !== undefined && !signal.aborted; row = left.pop()) {
      // One that is gone is searched by what its row has of it.
      const answer = await queries.fetchQuery(outputQuery(taskId, row.key)).catch(() => null);
      if (answer !== null) outputs.set(row.key, answer.output);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, read));
  return outputs;
}

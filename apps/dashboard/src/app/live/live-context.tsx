/** The live stream for components: its items, how its connection stands, and reading anew what an event has changed. */
import type { StreamItem } from '@bullpen/client';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react';
import { LiveSource, type ConnectionState } from './live-source.js';
import { refreshOnEvents } from './refresh.js';

const SourceContext = createContext<LiveSource | null>(null);

export function LiveProvider({ children }: { children: ReactNode }): ReactNode {
  const [source] = useState(() => new LiveSource());
  const queries = useQueryClient();
  useEffect(() => {
    const ending = new AbortController();
    const stopRefreshing = refreshOnEvents(source, queries);
    source.start(ending.signal);
    return () => {
      stopRefreshing();
      ending.abort();
    };
  }, [source, queries]);
  return <SourceContext value={source}>{children}</SourceContext>;
}

function useSource(): LiveSource {
  const source = useContext(SourceContext);
  if (source === null) throw new Error('There is no LiveProvider');
  return source;
}

/** Calls the listener with each item of the stream. It should be stable: a new one is a new subscription. */
export function useLiveItems(listener: (item: StreamItem) => void): void {
  const source = useSource();
  useEffect(() => source.onItem(listener), [source, listener]);
}

export function useConnection(): ConnectionState {
  const source = useSource();
  return useSyncExternalStore(
    (changed) => source.onState(changed),
    () => source.state,
  );
}

/** A link to an event opens the transcript there, however far back it is. */
import { useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Item } from './items.js';
import type { Snapshot, TranscriptStore } from './transcript-store.js';
import { rowsOf } from './use-cursor.js';

/** `show` is called once, with the item that holds the event. */
export function useOpenAt(
  store: TranscriptStore,
  view: Snapshot,
  items: readonly Item[],
  show: (index: number, key: string) => void,
): void {
  const { event }: { readonly event?: unknown } = useSearch({ strict: false });
  const wanted = useRef(typeof event === 'number' ? event : null);
  const isOpen = view.state === 'open';
  useEffect(() => {
    if (!isOpen || wanted.current === null) return;
    const ending = new AbortController();
    // What cannot be read is told where older events are asked for.
    store.readBack(wanted.current, ending.signal).catch(() => undefined);
    return () => ending.abort();
  }, [store, isOpen]);
  useEffect(() => {
    const seq = wanted.current;
    if (!isOpen || seq === null || view.older >= seq) return;
    const index = items.findIndex((item) => rowsOf(item).some((row) => row.seq >= seq));
    const item = items[index];
    if (item === undefined) return;
    wanted.current = null;
    show(index, item.key);
  });
}

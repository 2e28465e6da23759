/** The transcript of the task that a screen shows, from its newest events on, and live. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useConnection, useLiveItems } from '../../../app/live/live-context.js';
import { TranscriptStore, type Snapshot } from './transcript-store.js';

/** `newest`: the number of the task's last event when the screen was opened. */
export function useTranscript(taskId: string, newest: number): { store: TranscriptStore; view: Snapshot } {
  const [store] = useState(
    () => new TranscriptStore(taskId, (after, limit) => bullpen.tasks.events(taskId, { after, limit })),
  );
  const [first] = useState(newest);
  useLiveItems(store.hear);
  useEffect(() => void store.open(first), [store, first]);
  const connection = useConnection();
  useEffect(() => {
    if (connection === 'live') void store.catchUp();
  }, [store, connection]);
  const view = useSyncExternalStore(store.subscribe, () => store.snapshot);
  return { store, view };
}

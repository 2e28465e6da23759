/** The time, by the gateway's clock, once a second for all that shows how long something takes. */
import { useSyncExternalStore } from 'react';
import { serverNow } from './server-clock.js';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = serverNow();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = serverNow();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** In ms; its component is drawn again each second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

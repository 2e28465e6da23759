/** Times and spans, as the command line writes them; the exact instant is in the title. */
import { age, duration } from '@bullpen/client';
import type { ReactNode } from 'react';
import { useNow } from '../app/now.js';

/** How long ago: `now`, `45s`, `12m`. */
export function Age({ at }: { at: string }): ReactNode {
  const now = useNow();
  return (
    <time className="num" dateTime={at} title={exact(at)}>
      {age(at, now)}
    </time>
  );
}

/** The time of day: `13:58`, or `13:58:04`. */
export function Clock({ at, seconds = false }: { at: string; seconds?: boolean }): ReactNode {
  const parts: Intl.DateTimeFormatOptions = {
    hour: '2-digit',
    minute: '2-digit',
    hour12: false,
    ...(seconds && { second: '2-digit' }),
  };
  return (
    <time className="num dim" dateTime={at} title={exact(at)}>
      {new Date(at).toLocaleTimeString(undefined, parts)}
    </time>
  );
}

/** From one instant to another, or until now. */
export function Span({ from, to }: { from: string; to?: string | null }): ReactNode {
  return to == null ? <Running from={from} /> : <Duration ms={Date.parse(to) - Date.parse(from)} />;
}

export function Duration({ ms }: { ms: number }): ReactNode {
  return <span className="num">{duration(ms)}</span>;
}

function Running({ from }: { from: string }): ReactNode {
  return <Duration ms={useNow() - Date.parse(from)} />;
}

/** Local time with its zone, and UTC. */
function exact(at: string): string {
  const date = new Date(at);
  return `${date.toLocaleString(undefined, { timeZoneName: 'short' })} (${at})`;
}

/** How long until then. */
export function Until({ at }: { at: string }): ReactNode {
  return <Duration ms={Date.parse(at) - useNow()} />;
}

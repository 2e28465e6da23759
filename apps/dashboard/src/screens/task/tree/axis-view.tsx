/** The times above the lanes. */
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { ticksOf, type Axis } from './lanes.js';

export function AxisView(props: { axis: Axis; ticks: number; isLive: boolean }): ReactNode {
  const { axis, ticks, isLive } = props;
  const t = useText();
  const parts = partsOf(axis.to - axis.from);
  // Of a tree that took a second all ticks would read the same.
  const told = new Set([clock(axis.from, parts), clock(axis.to, parts)]);
  const named = ticksOf(axis, ticks, 'second' in parts ? 110 / ticks : 72 / ticks).filter(
    ({ at }) => told.size < told.add(clock(at, parts)).size,
  );
  return (
    <div className="axis num" aria-hidden="true">
      <span>{clock(axis.from, parts)}</span>
      {named.map(({ at, place }) => (
        <span key={at} style={{ left: `${place}%` }}>
          {clock(at, parts)}
        </span>
      ))}
      <span style={{ left: '100%' }}>{isLive ? t('tree.now') : clock(axis.to, parts)}</span>
    </div>
  );
}

const DAY_MS = 24 * 3_600_000;
const SHORT_MS = 5 * 60_000;

/** What of a time tells its ticks apart. */
function partsOf(lengthMs: number): Intl.DateTimeFormatOptions {
  if (lengthMs > DAY_MS) return { month: 'numeric', day: 'numeric', hour: '2-digit' };
  if (lengthMs < SHORT_MS) return { hour: '2-digit', minute: '2-digit', second: '2-digit' };
  return { hour: '2-digit', minute: '2-digit' };
}

function clock(at: number, parts: Intl.DateTimeFormatOptions): string {
  return new Date(at).toLocaleString(undefined, { ...parts, hour12: false });
}

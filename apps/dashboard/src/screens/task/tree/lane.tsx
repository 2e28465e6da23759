/** The bars of one task. For readers they are decoration: the row says the same in words. */
import type { Timeline } from '@bullpen/contracts';
import { memo, type ReactNode } from 'react';
import { barsOf, type Axis } from './lanes.js';

interface LaneProps {
  readonly timeline: Timeline;
  readonly taskId: string;
  readonly axis: Axis;
}

export const Lane = memo(function Lane({ timeline, taskId, axis }: LaneProps): ReactNode {
  return (
    <span className="lane" aria-hidden="true">
      {barsOf(timeline, taskId, axis).map(({ look, left, width }, index) => (
        <i key={index} className={`bar-${look}`} style={{ left: `${left}%`, width: `${width}%` }} />
      ))}
      {axis.gaps.map((place) => (
        <i key={place} className="bar-gap" style={{ left: `${place}%` }} />
      ))}
    </span>
  );
});

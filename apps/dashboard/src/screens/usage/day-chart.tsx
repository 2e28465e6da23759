/** Cost by day, each day a bar of its groups. Today is pale while it fills. */
import { usd } from '@bullpen/client';
import type { UsageReport } from '@bullpen/contracts';
import { scaleBand, scaleLinear } from 'd3-scale';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { ChartBox, Grid, HEIGHT, MARGIN } from '../../ui/chart/frame.js';
import { useWidth } from '../../ui/chart/use-width.js';
import { costsByDay, OTHERS, seriesOf } from './series.js';

export function DayChart(props: {
  report: UsageReport;
  groups: UsageReport;
  days: readonly string[];
}): ReactNode {
  const { report, groups, days } = props;
  const t = useText();
  const [box, width] = useWidth<HTMLDivElement>();
  const series = seriesOf(groups);
  const costs = costsByDay(report, days, series);
  const most = Math.max(0.01, ...days.map((_, day) => costs.reduce((sum, row) => sum + (row[day] ?? 0), 0)));
  const x = scaleBand([...days], [MARGIN.left, width - MARGIN.right]).padding(0.3);
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
  return (
    <ChartBox
      title={t('usage.byDay')}
      rows={[...days]}
      columns={series.map((key, index) => ({
        name: key === OTHERS ? t('usage.others') : key,
        look: lookOf(key, index),
        values: days.map((_, day) => usd((costs[index]?.[day] ?? 0).toFixed(9))),
      }))}
    >
      <div ref={box}>
        <svg className="chart" width={width} height={HEIGHT} aria-hidden="true">
          <Grid y={y} width={width} format={(value) => `$${value.toFixed(2)}`} />
          {days.map((day, at) => (
            <g key={day} className={at === days.length - 1 ? 'filling' : undefined}>
              {barsOf(costs, at).map(({ from, to, index }) => (
                <rect
                  key={index}
                  className={lookOf(series[index] ?? '', index)}
                  x={x(day)}
                  width={x.bandwidth()}
                  y={y(to)}
                  height={Math.max(0, y(from) - y(to))}
                />
              ))}
            </g>
          ))}
          {days
            .filter((_, at) => at % Math.ceil(days.length / 5) === 0)
            .map((day) => (
              <text key={day} x={(x(day) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 6} textAnchor="middle">
                {day.slice(5)}
              </text>
            ))}
        </svg>
      </div>
    </ChartBox>
  );
}

function lookOf(key: string, index: number): string {
  return key === OTHERS ? 'series-other' : `series-${index + 1}`;
}

/** The pieces of one day's bar, from the bottom up. */
function barsOf(
  costs: readonly (readonly number[])[],
  day: number,
): { from: number; to: number; index: number }[] {
  let from = 0;
  return costs.map((row, index) => {
    const piece = { from, to: from + (row[day] ?? 0), index };
    from = piece.to;
    return piece;
  });
}

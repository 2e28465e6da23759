/** How many tasks come in and end each minute. The two lines differ by dash, too. */
import type { QueueSample, QueueSamples } from '@bullpen/contracts';
import { scaleLinear, scaleTime } from 'd3-scale';
import { line } from 'd3-shape';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { ChartBox, Grid, HEIGHT, MARGIN, Times } from '../../ui/chart/frame.js';
import { useWidth } from '../../ui/chart/use-width.js';

const LINES = [
  { part: 'inPerMinute', text: 'queues.in', look: 'line-in' },
  { part: 'outPerMinute', text: 'queues.out', look: 'line-out' },
] as const;

export function RatesChart({ samples }: { samples: QueueSamples }): ReactNode {
  const t = useText();
  const [box, width] = useWidth<HTMLDivElement>();
  const { data, from, now } = samples;
  const most = Math.max(1, ...data.flatMap(({ inPerMinute, outPerMinute }) => [inPerMinute, outPerMinute]));
  const x = scaleTime([new Date(from), new Date(now)], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
  const shape = (part: (typeof LINES)[number]['part']) =>
    line<QueueSample>()
      .x(({ at }) => x(new Date(at)))
      .y((sample) => y(sample[part]));
  return (
    <ChartBox
      title={t('queues.eachMinute')}
      rows={data.map(({ at }) => new Date(at).toLocaleTimeString())}
      columns={LINES.map(({ part, text, look }) => ({
        name: t(text),
        look,
        values: data.map((sample) => sample[part].toFixed(1)),
      }))}
    >
      <div ref={box}>
        <svg className="chart" width={width} height={HEIGHT} aria-hidden="true">
          <Grid y={y} width={width} format={String} />
          {LINES.map(({ part, look }) => (
            <path key={part} className={`line ${look}`} d={shape(part)([...data]) ?? ''} />
          ))}
          <Times x={x} width={width} />
        </svg>
      </div>
    </ChartBox>
  );
}

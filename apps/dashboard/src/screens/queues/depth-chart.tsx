/** Tasks by state over time, the most wanted at the bottom. */
import type { QueueSample, QueueSamples } from '@bullpen/contracts';
import { scaleLinear, scaleTime } from 'd3-scale';
import { area, stack } from 'd3-shape';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { ChartBox, Grid, HEIGHT, MARGIN, Times } from '../../ui/chart/frame.js';
import { useWidth } from '../../ui/chart/use-width.js';

const PARTS = ['running', 'waiting', 'people', 'ready'] as const;

export function DepthChart({ samples }: { samples: QueueSamples }): ReactNode {
  const t = useText();
  const [box, width] = useWidth<HTMLDivElement>();
  const { data, from, now } = samples;
  const layers = stack<QueueSample>().keys(PARTS)([...data]);
  const most = Math.max(1, ...data.map((sample) => PARTS.reduce((sum, part) => sum + sample[part], 0)));
  const x = scaleTime([new Date(from), new Date(now)], [MARGIN.left, width - MARGIN.right]);
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(4);
  const shape = area<(typeof layers)[number][number]>()
    .x(({ data: { at } }) => x(new Date(at)))
    .y0(([low]) => y(low))
    .y1(([, high]) => y(high));
  return (
    <ChartBox
      title={t('queues.byState')}
      rows={data.map(({ at }) => new Date(at).toLocaleTimeString())}
      columns={PARTS.map((part) => ({
        name: t(`queues.part.${part}`),
        look: `fill-${part}`,
        values: data.map((sample) => sample[part].toFixed(0)),
      }))}
    >
      <div ref={box}>
        <svg className="chart" width={width} height={HEIGHT} aria-hidden="true">
          <Grid y={y} width={width} format={String} />
          {layers.map((layer) => (
            <path key={layer.key} className={`area fill-${layer.key}`} d={shape(layer) ?? ''} />
          ))}
          <Times x={x} width={width} />
        </svg>
      </div>
    </ChartBox>
  );
}

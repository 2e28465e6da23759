/** What one task called when: its model calls, and each of its tools. */
import { duration } from '@bullpen/client';
import type { ModelCallView, ToolCallView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import type { CSSProperties, ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Cost } from '../../../ui/money.js';
import type { TreeTask } from '../task-context.js';
import { callLanesOf, type CallLane } from './calls.js';
import type { Axis } from './lanes.js';

interface CallLanesProps {
  readonly task: TreeTask;
  readonly axis: Axis;
  readonly now: string;
  readonly leastMs: number;
  readonly indent: CSSProperties;
}

/** The most of each that is read; beyond that bars could not be told apart. */
const MOST = 200;

export function CallLanes({ task, axis, now, leastMs, indent }: CallLanesProps): ReactNode {
  const t = useText();
  const { data, error } = useQuery({
    queryKey: ['task', task.id, 'calls'],
    queryFn: async ({ signal }): Promise<[ModelCallView[], ToolCallView[]]> => {
      const [models, tools] = await Promise.all([
        bullpen.tasks.modelCalls(task.id, { limit: MOST, signal }),
        bullpen.tasks.toolCalls(task.id, { limit: MOST, signal }),
      ]);
      return [models.data, tools.data];
    },
  });
  if (error !== null) return <FailureNote error={error} />;
  if (data === undefined) return null;
  const [models, tools] = data;
  const lanes = callLanesOf(models, tools, Date.parse(now), leastMs);
  return lanes.map((lane) => (
    <div key={`${lane.kind} ${lane.name}`} className="wl leaf">
      <span className="trunc wl-name" style={indent}>
        {lane.kind === 'model' ? t('tree.modelCalls') : lane.name}{' '}
        <span className="dim">
          {lane.kind === 'model' && `${lane.name} · `}
          {t('tree.callCount', { n: lane.calls.length })}
          {lane.failed > 0 && ` · ${t('tree.failedCount', { n: lane.failed })}`}
        </span>
      </span>
      <CallBars lane={lane} axis={axis} />
      <span className="r num">{duration(lane.totalMs)}</span>
      <span />
      <span className="r">{lane.kind === 'model' && <Cost usage={task.usage} />}</span>
    </div>
  ));
}

function CallBars({ lane, axis }: { lane: CallLane; axis: Axis }): ReactNode {
  return (
    <span className="lane" aria-hidden="true">
      {lane.calls.map(({ from, to, failed }, index) => {
        const left = axis.placeOf(from);
        const width = axis.placeOf(to) - left;
        const look = failed ? 'failed' : lane.kind;
        return <i key={index} className={`bar-${look}`} style={{ left: `${left}%`, width: `${width}%` }} />;
      })}
    </span>
  );
}

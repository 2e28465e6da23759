/** The tree over the whole width: each task with its times, turns and cost, and when it is opened what it called when. */
import { duration } from '@bullpen/client';
import { isTerminal, type Timeline } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type CSSProperties, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { IconButton } from '../../../ui/button.js';
import { Icon } from '../../../ui/icon.js';
import { Cost } from '../../../ui/money.js';
import { lookOf, stateText } from '../../../ui/state.js';
import { Span } from '../../../ui/time.js';
import { useShownTask, type TreeTask } from '../task-context.js';
import { AxisView } from './axis-view.js';
import { CallLanes } from './call-lanes.js';
import { Lane } from './lane.js';
import { axisOf, type Axis } from './lanes.js';
import { onlyFailed } from './nodes.js';

interface WideTimelineProps {
  readonly timeline: Timeline | undefined;
  readonly onClose: () => void;
}

const LEGEND = ['running', 'waiting', 'needs', 'completed', 'failed', 'model', 'tool'] as const;
/** "Longer than a second". */
const SHORT_MS = 1_000;

export function WideTimeline({ timeline, onClose }: WideTimelineProps): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const [failedOnly, showFailedOnly] = useState(false);
  const [longOnly, showLongOnly] = useState(false);
  const axis = useMemo(() => (timeline === undefined ? null : axisOf(timeline, true)), [timeline]);
  const all = [...tree.values()];
  const tasks = failedOnly ? onlyFailed(all) : all;
  return (
    <section className="wide-frame" aria-label={t('tree.title')}>
      <div className="colhead wide-head">
        <h2>{t('tree.title')}</h2>
        <span className="dim num">{t('tree.tasks', { n: tree.size })}</span>
        <span className="grow" />
        <span className="legend only-wide">
          {LEGEND.map((each) => (
            <span key={each}>
              <i className={`bar-${each}`} />
              {t(`tree.legend.${each}`)}
            </span>
          ))}
        </span>
        <FilterChip isOn={failedOnly} onChange={showFailedOnly} text={t('tree.onlyFailed')} />
        <FilterChip isOn={longOnly} onChange={showLongOnly} text={t('tree.onlyLong')} />
        <IconButton icon="x" label={t('tree.narrow')} onClick={onClose} />
      </div>
      {axis !== null && timeline !== undefined && (
        <div className="wide" tabIndex={0}>
          <div className="wl head">
            <span>{t('tree.task')}</span>
            <AxisView axis={axis} ticks={6} isLive={all.some(({ state }) => !isTerminal(state))} />
            <span className="r">{t('tree.time')}</span>
            <span className="r">{t('tree.turns')}</span>
            <span className="r">{t('tree.cost')}</span>
          </div>
          {tasks.map((task) => (
            <WideRow
              key={task.id}
              task={task}
              timeline={timeline}
              axis={axis}
              leastMs={longOnly ? SHORT_MS : 0}
            />
          ))}
        </div>
      )}
    </section>
  );
}

function FilterChip(props: { isOn: boolean; onChange: (isOn: boolean) => void; text: string }): ReactNode {
  const { isOn, onChange, text } = props;
  return (
    <button type="button" className="chip" aria-pressed={isOn} onClick={() => onChange(!isOn)}>
      {text}
    </button>
  );
}

interface WideRowProps {
  readonly task: TreeTask;
  readonly timeline: Timeline;
  readonly axis: Axis;
  /** Calls that took less are not shown. */
  readonly leastMs: number;
}

function WideRow({ task, timeline, axis, leastMs }: WideRowProps): ReactNode {
  const t = useText();
  const { task: shown } = useShownTask();
  const [isOpen, open] = useState(false);
  const look = lookOf(task);
  const indent = { '--indent': `${18 * (task.path.length - 1)}px` } as CSSProperties;
  return (
    <>
      <div className={task.id === shown.id ? 'wl sel' : 'wl'}>
        <span className="row wl-name" style={indent}>
          <IconButton
            icon={isOpen ? 'down' : 'right'}
            small
            label={t('tree.calls', { title: task.title })}
            aria-expanded={isOpen}
            onClick={() => open(!isOpen)}
          />
          <span className={`st ${look}`} role="img" aria-label={t(stateText(task))}>
            <Icon name={look} />
          </span>
          <Link className="trunc" to="/tasks/$taskId" params={{ taskId: task.id }}>
            {task.title}
          </Link>
        </span>
        <Lane timeline={timeline} taskId={task.id} axis={axis} />
        <span className="r mid">
          {task.startedAt !== null && <Span from={task.startedAt} to={task.endedAt} />}
        </span>
        <span className="r num mid" title={duration(task.activeMs)}>
          {task.turns > 0 && task.turns}
        </span>
        <span className="r">{task.usage.modelCalls > 0 && <Cost usage={task.usage} />}</span>
      </div>
      {isOpen && <CallLanes task={task} axis={axis} now={timeline.now} leastMs={leastMs} indent={indent} />}
    </>
  );
}

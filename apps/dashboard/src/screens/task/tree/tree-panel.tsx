/** The tree of a task, each with its lane on one axis of time. */
import type { Timeline } from '@bullpen/contracts';
import { isTerminal } from '@bullpen/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type CSSProperties, type ReactNode } from 'react';
import {
  Button as AriaButton,
  Collection,
  Tree,
  TreeItem,
  TreeItemContent,
  Virtualizer,
  ListLayout,
  type Key,
} from 'react-aria-components';
import { useText, type Translate } from '../../../i18n/texts.js';
import { IconButton } from '../../../ui/button.js';
import { Icon } from '../../../ui/icon.js';
import { Cost } from '../../../ui/money.js';
import { causeText, lookOf, stateText } from '../../../ui/state.js';
import { useShownTask, type TreeTask } from '../task-context.js';
import { activityText, useActivities, type Activities } from './activities.js';
import { AxisView } from './axis-view.js';
import { Lane } from './lane.js';
import { axisOf, type Axis } from './lanes.js';
import { onlyFailed, rootsOf, type TreeNode } from './nodes.js';

interface TreePanelProps {
  readonly timeline: Timeline | undefined;
  readonly onWide: () => void;
}

export function TreePanel({ timeline, onWide }: TreePanelProps): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const [failedOnly, showFailedOnly] = useState(false);
  const tasks = useMemo(() => {
    const all = [...tree.values()];
    return failedOnly ? onlyFailed(all) : all;
  }, [tree, failedOnly]);
  const hasFailed = tree.size > 1 && [...tree.values()].some(({ state }) => state === 'failed');
  const axis = useMemo(() => (timeline === undefined ? null : axisOf(timeline, false)), [timeline]);
  const isLive = [...tree.values()].some(({ state }) => !isTerminal(state));
  return (
    <>
      <div className="colhead">
        <h2>{t('tree.title')}</h2>
        <span className="dim num">{t('tree.tasks', { n: tree.size })}</span>
        <span className="grow" />
        {hasFailed && (
          <button
            type="button"
            className="chip"
            aria-pressed={failedOnly}
            onClick={() => showFailedOnly(!failedOnly)}
          >
            {t('tree.onlyFailed')}
          </button>
        )}
        <IconButton icon="wide" small label={t('tree.wide')} onClick={onWide} />
      </div>
      {axis !== null && <AxisView axis={axis} ticks={4} isLive={isLive} />}
      <TaskNodes tasks={tasks} timeline={timeline} axis={axis} />
    </>
  );
}

interface TaskNodesProps {
  readonly tasks: readonly TreeTask[];
  readonly timeline: Timeline | undefined;
  readonly axis: Axis | null;
}

function TaskNodes({ tasks, timeline, axis }: TaskNodesProps): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const { task: shown } = useShownTask();
  const activities = useActivities(shown.rootId);
  const roots = useMemo(() => rootsOf(tasks), [tasks]);
  const [closed, close] = useState<ReadonlySet<Key>>(new Set());
  const open = useMemo(
    () => new Set(tasks.map(({ id }) => id).filter((id) => !closed.has(id))),
    [tasks, closed],
  );
  const show = (id: Key): void => void navigate({ to: '/tasks/$taskId', params: { taskId: String(id) } });
  const itemOf = (node: TreeNode): ReactNode => (
    <TreeItem key={node.task.id} id={node.task.id} textValue={node.task.title} className="node">
      <TreeItemContent>
        {({ level, hasChildItems, isExpanded }) => (
          <NodeRow
            task={node.task}
            level={level}
            toggle={hasChildItems ? isExpanded : null}
            does={doesText(node.task, activities, t)}
          >
            {axis !== null && timeline !== undefined && (
              <Lane timeline={timeline} taskId={node.task.id} axis={axis} />
            )}
          </NodeRow>
        )}
      </TreeItemContent>
      <Collection items={node.children}>{itemOf}</Collection>
    </TreeItem>
  );
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowHeight: 48 }}>
      <Tree
        className="tree"
        aria-label={t('tree.title')}
        selectionMode="single"
        selectionBehavior="replace"
        disallowEmptySelection
        selectedKeys={[shown.id]}
        onAction={show}
        onSelectionChange={(keys) => {
          const [id] = keys === 'all' ? [] : [...keys];
          if (id !== undefined && id !== shown.id) show(id);
        }}
        expandedKeys={open}
        onExpandedChange={(keys) => close(new Set(tasks.map(({ id }) => id).filter((id) => !keys.has(id))))}
        items={roots}
        dependencies={[activities, axis, timeline, itemOf]}
      >
        {itemOf}
      </Tree>
    </Virtualizer>
  );
}

interface NodeRowProps {
  readonly task: TreeTask;
  readonly level: number;
  /** Whether what is below it is shown; null: there is nothing. */
  readonly toggle: boolean | null;
  readonly does: string | null;
  readonly children: ReactNode;
}

/** Deeper than this nothing is moved in any more: names must stay readable. */
const DEEPEST_INDENT = 8;

function NodeRow({ task, level, toggle, does, children }: NodeRowProps): ReactNode {
  const t = useText();
  const look = lookOf(task);
  const indent = 16 * (Math.min(level, DEEPEST_INDENT) - 1);
  return (
    <div className="node-in" style={{ '--indent': `${indent}px` } as CSSProperties}>
      <div className="l">
        {toggle === null ? (
          <span className="node-open" />
        ) : (
          <AriaButton slot="chevron" className="node-open">
            <Icon name={toggle ? 'down' : 'right'} small />
          </AriaButton>
        )}
        <span className={`st ${look}`} role="img" aria-label={t(stateText(task))}>
          <Icon name={look} />
        </span>
        <span className="t trunc">{task.title}</span>
        <span className="num">
          {task.usage.modelCalls > 0 && <Cost usage={task.usage} />}
          {level === 1 && ` ${t('tree.own')}`}
        </span>
      </div>
      {does !== null && <div className={`do trunc ${look === 'needs' ? 'needs' : ''}`}>{does}</div>}
      {children}
    </div>
  );
}

/** What it does now, or why it does nothing; null where the bar says enough. */
function doesText(task: TreeTask, activities: Activities, t: Translate): string | null {
  if (task.state === 'running') return activityText(activities.get(task.id), t);
  if (task.state === 'failed') return causeText(task.stopCause, t) ?? task.failure?.message ?? null;
  if (task.state === 'completed' || task.state === 'queued') return causeText(task.stopCause, t);
  return t(stateText(task));
}

/** The head of a task: what it is, how it stands, what can be done, and what it costs. */
import type { ContextSize, InteractionView, TaskUsageView, TaskView } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { StateMark } from '../../../ui/state-mark.js';
import { useShownTask } from '../task-context.js';
import { FailureNote } from './failure-note.js';
import { Facts } from './facts.js';
import { TaskActions } from './task-actions.js';

interface TaskHeaderProps {
  readonly usage: TaskUsageView | undefined;
  /** What in its tree waits for a person. */
  readonly asks: readonly InteractionView[];
  readonly context: ContextSize | null;
  readonly onInterrupt: () => void;
  readonly onNextAsk: () => void;
}

export function TaskHeader({ usage, asks, context, onInterrupt, onNextAsk }: TaskHeaderProps): ReactNode {
  const t = useText();
  const { task } = useShownTask();
  const own = asks.find(({ taskId }) => taskId === task.id);
  return (
    <header className="thead">
      <div className="row thead-top">
        <Crumbs task={task} />
        <h1 className="trunc" title={task.title}>
          {task.title}
        </h1>
        <span className="row thead-states">
          <StateMark {...task} ask={own?.kind} pill />
          {asks.length > (own === undefined ? 0 : 1) && <AsksPill asks={asks.length} onClick={onNextAsk} />}
          {task.usage.simulated && <Simulated />}
          {task.importedFrom !== null && (
            <span className="tag" title={t('task.importedHow')}>
              {t('task.imported')}
            </span>
          )}
        </span>
        <span className="grow" />
        <TaskActions task={task} onInterrupt={onInterrupt} />
      </div>
      <FailureNote task={task} />
      <Facts task={task} usage={usage} context={context} />
    </header>
  );
}

/** Where one is: the list, and for a subtask what it belongs to. */
function Crumbs({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const parent = task.parentId === null ? undefined : tree.get(task.parentId);
  return (
    <nav className="row crumbs" aria-label={t('task.where')}>
      <Link className="dim nowrap only-wide" to="/tasks">
        {t('nav.tasks')}
      </Link>
      {parent !== undefined && (
        <>
          <span className="dim only-wide" aria-hidden="true">
            /
          </span>
          <Link className="dim trunc only-wide" to="/tasks/$taskId" params={{ taskId: parent.id }}>
            {parent.title}
          </Link>
        </>
      )}
      <span className="dim only-wide" aria-hidden="true">
        /
      </span>
      <Link className="btn quiet icon thead-back" to="/tasks" aria-label={t('nav.tasks')}>
        <Icon name="left" />
      </Link>
    </nav>
  );
}

function AsksPill({ asks, onClick }: { asks: number; onClick: () => void }): ReactNode {
  const t = useText();
  return (
    <button type="button" className="st needs pill" onClick={onClick}>
      <Icon name="needs" />
      <span className="trunc">{t('task.asks', { n: asks })}</span>
    </button>
  );
}

function Simulated(): ReactNode {
  const t = useText();
  return (
    <span className="tag" title={t('task.simulatedHow')}>
      {t('task.simulated')}
    </span>
  );
}

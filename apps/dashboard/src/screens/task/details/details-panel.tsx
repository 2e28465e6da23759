/** What there is beside the transcript: to-dos, changes, checkpoints, attempts, cost. What there is none of is not shown. */
import type { TaskUsageView, TodoItem } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { attemptsQuery, changesQuery, checkpointsQuery } from '../queries.js';
import { useShownTask } from '../task-context.js';
import { Attempts } from './attempts.js';
import { Changes } from './changes.js';
import { Checkpoints } from './checkpoints.js';
import { ModelCosts } from './model-costs.js';
import { Todos } from './todos.js';

interface DetailsPanelProps {
  /** As the newest event has them; null: as they were when the task was read. */
  readonly todos: readonly TodoItem[] | null;
  readonly usage: TaskUsageView | undefined;
  readonly onTab: (tab: 'changes' | 'cost') => void;
}

export function DetailsPanel({ todos, usage, onTab }: DetailsPanelProps): ReactNode {
  const t = useText();
  const { task } = useShownTask();
  const { data: changes } = useQuery(changesQuery(task.id));
  const { data: checkpoints } = useQuery(checkpointsQuery(task.id));
  const { data: attempts } = useQuery(attemptsQuery(task.id));
  return (
    <div className="side" tabIndex={0} role="group" aria-label={t('details.title')}>
      <Todos todos={todos ?? task.todos} hasFailed={task.state === 'failed'} />
      {changes !== undefined && <Changes changes={changes} onOpen={() => onTab('changes')} />}
      {checkpoints !== undefined && (
        <Checkpoints checkpoints={checkpoints.data} onCompare={() => onTab('changes')} />
      )}
      {attempts !== undefined && <Attempts attempts={attempts} />}
      {usage !== undefined && <ModelCosts usage={usage} onOpen={() => onTab('cost')} />}
    </div>
  );
}

/** What stands in a cell of the list of tasks. */
import { count } from '@bullpen/client';
import type { ContextSize, TaskView } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StateMark } from '../../../ui/state-mark.js';
import { Age, Duration, Span } from '../../../ui/time.js';
import type { ColumnId } from './columns.js';
import { SubLine } from './sub-line.js';
import { TreeBar } from './tree-bar.js';
import { TreeCost } from './tree-cost.js';

const CELLS: Readonly<Record<ColumnId, (task: TaskView) => ReactNode>> = {
  state: (task) => <StateMark {...task} ask={task.tree?.ask?.kind} />,
  title: (task) => (
    <>
      <Link className="strong" to="/tasks/$taskId" params={{ taskId: task.id }}>
        {task.title}
      </Link>
      <SubLine task={task} />
    </>
  ),
  agent: ({ agent }) => agent,
  model: ({ model }) => <span title={model}>{model}</span>,
  tags: ({ tags }) => <span title={tags.join(', ')}>{tags.join(', ')}</span>,
  tree: ({ tree }) => <TreeBar tree={tree} />,
  cost: (task) => <TreeCost task={task} />,
  context: ({ context }) => (context === null ? '–' : <ContextShare context={context} />),
  turns: ({ turns }) => turns,
  time: (task) => <WorkTime task={task} />,
  created: ({ createdAt }) => <Age at={createdAt} />,
  age: ({ updatedAt }) => <Age at={updatedAt} />,
};

/** Those that one reads after the rest. */
const QUIET: readonly ColumnId[] = ['created', 'age'];
const LOUD: readonly ColumnId[] = ['state', 'title', 'cost', 'tree'];

export function Cell({ id, task, isRight }: { id: ColumnId; task: TaskView; isRight: boolean }): ReactNode {
  const rank = QUIET.includes(id) ? 'dim' : LOUD.includes(id) ? '' : 'mid';
  const names = [`c-${id}`, isRight ? 'r' : '', rank].filter((name) => name !== '');
  return <td className={names.join(' ')}>{CELLS[id](task)}</td>;
}

function ContextShare({ context: { tokens, window, share } }: { context: ContextSize }): ReactNode {
  return <span title={`${count(tokens)} / ${count(window)}`}>{Math.round(share * 100)}%</span>;
}

/** From its start to its end, or until now. */
function WorkTime({ task: { startedAt, endedAt, activeMs } }: { task: TaskView }): ReactNode {
  if (startedAt === null) return '–';
  return endedAt === null ? <Span from={startedAt} /> : <Duration ms={activeMs} />;
}

/** The table of tasks. */
import type { TaskView } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, type Ref } from 'react';
import { useText } from '../../i18n/texts.js';
import { StateMark } from '../../ui/state-mark.js';
import { Age, Duration, Span } from '../../ui/time.js';
import { TreeBar } from './tree-bar.js';
import { TreeCost } from './tree-cost.js';
import { SubLine } from './sub-line.js';

export function TaskTable(props: {
  ref: Ref<HTMLTableSectionElement>;
  rows: readonly TaskView[];
  gone: ReadonlySet<string>;
  /** The row that the keyboard is on. */
  at: number;
  selected: readonly string[];
  onToggle: (id: string) => void;
  onToggleAll: () => void;
}): ReactNode {
  const { ref, rows, gone, at, selected, onToggle, onToggleAll } = props;
  const t = useText();
  return (
    <table className="data-table tall tasks">
      <thead>
        <tr>
          <th className="c-check">
            <input
              type="checkbox"
              className="check"
              aria-label={t('tasks.selectAll')}
              checked={selected.length === rows.length}
              onChange={onToggleAll}
            />
          </th>
          <th className="c-state">{t('tasks.state')}</th>
          <th>{t('tasks.task')}</th>
          <th className="c-agent">{t('tasks.agent')}</th>
          <th className="c-tree">{t('tasks.subtasks')}</th>
          <th className="r c-cost">{t('tasks.cost')}</th>
          <th className="r c-time">{t('tasks.time')}</th>
          <th className="r c-age">{t('tasks.changed')}</th>
        </tr>
      </thead>
      <tbody ref={ref}>
        {rows.map((task, index) => (
          <TaskRow
            key={task.id}
            task={task}
            isGone={gone.has(task.id)}
            isAt={index === at}
            isSelected={selected.includes(task.id)}
            onToggle={onToggle}
          />
        ))}
      </tbody>
    </table>
  );
}

const TaskRow = memo(function TaskRow(props: {
  task: TaskView;
  isGone: boolean;
  isAt: boolean;
  isSelected: boolean;
  onToggle: (id: string) => void;
}): ReactNode {
  const { task, isGone, isAt, isSelected, onToggle } = props;
  const t = useText();
  return (
    <tr className={[isSelected ? 'sel' : '', isAt ? 'at' : '', isGone ? 'gone' : ''].join(' ').trim()}>
      <td>
        <input
          type="checkbox"
          className="check"
          aria-label={t('inbox.select', { title: task.title })}
          checked={isSelected}
          onChange={() => onToggle(task.id)}
        />
      </td>
      <td className="c-state">
        <StateMark {...task} ask={task.tree?.ask?.kind} />
      </td>
      <td className="c-title">
        <Link className="strong" to="/tasks/$taskId" params={{ taskId: task.id }}>
          {task.title}
        </Link>
        <SubLine task={task} />
      </td>
      <td className="c-agent mid">{task.agent}</td>
      <td className="c-tree">
        <TreeBar tree={task.tree} />
      </td>
      <td className="r c-cost">
        <TreeCost task={task} />
      </td>
      <td className="r c-time mid">
        <WorkTime task={task} />
      </td>
      <td className="r c-age dim">
        <Age at={task.updatedAt} />
      </td>
    </tr>
  );
});

/** From its start to its end, or until now. */
function WorkTime({ task: { startedAt, endedAt, activeMs } }: { task: TaskView }): ReactNode {
  if (startedAt === null) return '–';
  return endedAt === null ? <Span from={startedAt} /> : <Duration ms={activeMs} />;
}

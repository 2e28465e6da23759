/** All tasks that nobody delegated, newest first. */
import type { TaskView } from '@bullpen/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { tasksQuery } from '../../app/queries/tasks.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { Cost } from '../../ui/money.js';
import { StateMark } from '../../ui/state-mark.js';
import { Age, Span } from '../../ui/time.js';

export function TasksScreen(): ReactNode {
  const t = useText();
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery(tasksQuery({ roots: true }));
  const tasks = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.tasks')}</h1>
      </div>
      <div className="body">
        {data !== undefined && tasks.length === 0 ? <NoTasks /> : <TaskTable tasks={tasks} />}
        {hasNextPage && <Button onClick={() => void fetchNextPage()}>{t('tasks.more')}</Button>}
      </div>
    </>
  );
}

function NoTasks(): ReactNode {
  const t = useText();
  return (
    <div className="blank">
      <h2 className="h1">{t('tasks.none')}</h2>
      <p className="mid">{t('tasks.noneHow')}</p>
      <pre className="code">npx bullpen run &quot;Say hello&quot;</pre>
    </div>
  );
}

function TaskTable({ tasks }: { tasks: readonly TaskView[] }): ReactNode {
  const t = useText();
  return (
    <table className="data-table tall tasks">
      <thead>
        <tr>
          <th>{t('tasks.state')}</th>
          <th>{t('tasks.task')}</th>
          <th>{t('tasks.agent')}</th>
          <th className="r">{t('tasks.cost')}</th>
          <th className="r">{t('tasks.time')}</th>
          <th className="r">{t('tasks.changed')}</th>
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <TaskRow key={task.id} task={task} />
        ))}
      </tbody>
    </table>
  );
}

function TaskRow({ task }: { task: TaskView }): ReactNode {
  return (
    <tr>
      <td>
        <StateMark {...task} />
      </td>
      <td>
        <Link className="strong" to="/tasks/$taskId" params={{ taskId: task.id }}>
          {task.title}
        </Link>
      </td>
      <td>{task.agent}</td>
      <td className="r">
        <Cost usage={task.usage} />
      </td>
      <td className="r">
        {task.startedAt === null ? '–' : <Span from={task.startedAt} to={task.endedAt} />}
      </td>
      <td className="r dim">
        <Age at={task.updatedAt} />
      </td>
    </tr>
  );
}

/** One task. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { taskQuery } from '../../app/queries/tasks.js';
import { FailureNote } from '../../ui/failure-text.js';
import { Cost } from '../../ui/money.js';
import { StateMark } from '../../ui/state-mark.js';

export function TaskScreen(): ReactNode {
  const { taskId } = useParams({ from: '/tasks/$taskId' });
  const { data: task, error } = useQuery(taskQuery(taskId));
  if (error !== null) return <FailureNote error={error} />;
  if (task === undefined) return null;
  return (
    <>
      <div className="topbar">
        <h1>{task.title}</h1>
        <StateMark {...task} pill />
        <Cost usage={task.usage} />
      </div>
      <div className="body">
        <div className="page">
          <p className="quote">{task.prompt}</p>
          {task.failure !== null && <p className="note failed">{task.failure.message}</p>}
          {typeof task.output === 'string' && <p className="say">{task.output}</p>}
        </div>
      </div>
    </>
  );
}

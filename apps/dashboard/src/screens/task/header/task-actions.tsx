/** What can be done with a task now. What cannot be undone asks first. */
import { isTerminal, type TaskView } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { useTaskChange } from '../use-task-change.js';
import { CancelDialog } from './cancel-dialog.js';

interface TaskActionsProps {
  readonly task: TaskView;
  readonly onInterrupt: () => void;
}

export function TaskActions({ task, onInterrupt }: TaskActionsProps): ReactNode {
  const t = useText();
  const [cancels, cancel] = useState(false);
  const pause = useTaskChange((tasks) => tasks.pause(task.id));
  const resume = useTaskChange((tasks) => tasks.resume(task.id));
  if (isTerminal(task.state)) return null;
  const isPaused = task.state === 'paused';
  const failed = pause.error ?? resume.error;
  return (
    <span className="row thead-acts">
      {failed !== null && (
        <span className="trunc act-failed" role="alert" title={failed.message}>
          {failed.message}
        </span>
      )}
      {task.state === 'running' && (
        <Button shortcut="I" onClick={onInterrupt}>
          {t('act.interrupt')}
        </Button>
      )}
      {isPaused ? (
        <Button kind="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          {t('act.resume')}
        </Button>
      ) : (
        <Button icon="pause" disabled={pause.isPending || task.pauseRequested} onClick={() => pause.mutate()}>
          {t(task.pauseRequested ? 'act.pausing' : 'act.pause')}
        </Button>
      )}
      <Button kind="danger" disabled={task.cancelRequested} onClick={() => cancel(true)}>
        {t(task.cancelRequested ? 'act.cancelling' : 'act.cancel')}
      </Button>
      {cancels && <CancelDialog task={task} onClose={() => cancel(false)} />}
    </span>
  );
}

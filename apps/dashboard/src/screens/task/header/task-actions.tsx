/** What can be done with a task now. What cannot be undone asks first. */
import { isTerminal, type TaskView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Button, IconButton } from '../../../ui/button.js';
import { ForkDialog } from '../details/fork-dialog.js';
import { checkpointsQuery } from '../queries.js';
import { useTaskChange } from '../use-task-change.js';
import { CancelDialog } from './cancel-dialog.js';
import { MoreMenu } from './more-menu.js';

const ShareDialog = lazy(() => import('../share/share-dialog.js'));

interface TaskActionsProps {
  readonly task: TaskView;
  readonly onInterrupt: () => void;
}

type Opened = 'cancel' | 'fork' | 'share';

export function TaskActions({ task, onInterrupt }: TaskActionsProps): ReactNode {
  const t = useText();
  const [opened, open] = useState<Opened | null>(null);
  const { data: checkpoints } = useQuery(checkpointsQuery(task.id));
  const newest = checkpoints?.data[0] ?? null;
  const canFork = newest !== null || task.importedFrom !== null;
  const close = (): void => open(null);
  return (
    <span className="row thead-acts">
      {!isTerminal(task.state) && (
        <FlowActions task={task} onInterrupt={onInterrupt} onCancel={() => open('cancel')} />
      )}
      {canFork && (
        <Button icon="fork" onClick={() => open('fork')}>
          {t('act.fork')}
        </Button>
      )}
      <IconButton icon="share" label={t('act.share')} onClick={() => open('share')} />
      <MoreMenu task={task} />
      {opened === 'cancel' && <CancelDialog task={task} onClose={close} />}
      {opened === 'fork' && <ForkDialog checkpoint={newest} onClose={close} />}
      <Suspense>{opened === 'share' && <ShareDialog task={task} onClose={close} />}</Suspense>
    </span>
  );
}

/** Of a task that goes on. */
function FlowActions({
  task,
  onInterrupt,
  onCancel,
}: TaskActionsProps & { onCancel: () => void }): ReactNode {
  const t = useText();
  const pause = useTaskChange((tasks) => tasks.pause(task.id));
  const resume = useTaskChange((tasks) => tasks.resume(task.id));
  const failed = pause.error ?? resume.error;
  return (
    <>
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
      {task.state === 'paused' ? (
        <Button kind="primary" disabled={resume.isPending} onClick={() => resume.mutate()}>
          {t('act.resume')}
        </Button>
      ) : (
        <Button icon="pause" disabled={pause.isPending || task.pauseRequested} onClick={() => pause.mutate()}>
          {t(task.pauseRequested ? 'act.pausing' : 'act.pause')}
        </Button>
      )}
      <Button kind="danger" disabled={task.cancelRequested} onClick={onCancel}>
        {t(task.cancelRequested ? 'act.cancelling' : 'act.cancel')}
      </Button>
    </>
  );
}

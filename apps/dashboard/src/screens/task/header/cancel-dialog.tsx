/** Before a task is cancelled: what ends with it, in figures. */
import { usd } from '@bullpen/client';
import { isTerminal, type TaskView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { descendantsOf } from '../standing.js';
import { useShownTask } from '../task-context.js';
import { useTaskChange } from '../use-task-change.js';

export function CancelDialog({ task, onClose }: { task: TaskView; onClose: () => void }): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const cancel = useTaskChange((tasks) => tasks.cancel(task.id));
  const alive = descendantsOf(tree.values(), task.id).filter(({ state }) => !isTerminal(state));
  return (
    <Dialog
      title={t('cancel.title')}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="danger"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate(undefined, { onSuccess: onClose })}
          >
            {t('cancel.act', { n: alive.length + 1 })}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <p>{alive.length === 0 ? t('cancel.alone') : t('cancel.tree', { n: alive.length })}</p>
      <p className="mid">{t('cancel.stays', { amount: usd(task.usage.costUsd) })}</p>
      {cancel.error !== null && <FailureNote error={cancel.error} />}
    </Dialog>
  );
}

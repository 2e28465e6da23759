/** Before a task is cancelled: what ends with it, in figures. */
import { usd } from '@bullpen/client';
import { isTerminal, type TaskView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { descendantsOf } from '../standing.js';
import { useShownTask } from '../task-context.js';
import { useTaskChange } from '../use-task-change.js';

export function CancelDialog({ task, onClose }: { task: TaskView; onClose: () => void }): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const cancel = useTaskChange((tasks) => tasks.cancel(task.id));
  const alive = descendantsOf(tree.values(), task.id).filter(({ state }) => !isTerminal(state));
  return (
    <ActDialog
      title={t('cancel.title')}
      act={t('cancel.act', { n: alive.length + 1 })}
      kind="danger"
      disabled={cancel.isPending}
      onAct={() => cancel.mutate(undefined, { onSuccess: onClose })}
      error={cancel.error}
      onClose={onClose}
    >
      <p>{alive.length === 0 ? t('cancel.alone') : t('cancel.tree', { n: alive.length })}</p>
      <p className="mid">{t('cancel.stays', { amount: usd(task.usage.costUsd) })}</p>
    </ActDialog>
  );
}

/** Before a task is forked: from where, and what the agent should do from there on. */
import type { CheckpointView } from '@bullpen/contracts';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { TextArea } from '../../../ui/fields.js';
import { checkpointName } from '../checkpoint-name.js';
import { useTaskId } from '../task-context.js';

/** `checkpoint`: null for a task that was imported, which has only its conversation. */
export function ForkDialog(props: { checkpoint: CheckpointView | null; onClose: () => void }): ReactNode {
  const { checkpoint, onClose } = props;
  const t = useText();
  const navigate = useNavigate();
  const taskId = useTaskId();
  const [message, say] = useState('');
  const body = message.trim() === '' ? {} : { message: message.trim() };
  const fork = useMutation({
    mutationFn: () =>
      checkpoint === null ? bullpen.tasks.fork(taskId, body) : bullpen.checkpoints.fork(checkpoint.id, body),
    onSuccess: ({ id }) => navigate({ to: '/tasks/$taskId', params: { taskId: id } }),
  });
  return (
    <ActDialog
      title={t('fork.title')}
      act={t('fork.act')}
      icon="fork"
      disabled={fork.isPending}
      onAct={() => fork.mutate()}
      error={fork.error}
      onClose={onClose}
    >
      <p>
        {checkpoint === null
          ? t('fork.fromImported')
          : t('fork.from', {
              name: checkpointName(checkpoint, t),
              turn: checkpoint.turn,
              n: checkpoint.files,
            })}
      </p>
      <TextArea label={t('fork.message')} value={message} onChange={say} onSubmit={() => fork.mutate()} />
    </ActDialog>
  );
}

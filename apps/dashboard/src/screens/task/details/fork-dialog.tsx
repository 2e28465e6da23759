/** Before a task is forked: from where, and what the agent should do from there on. */
import type { CheckpointView } from '@bullpen/contracts';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { TextArea } from '../../../ui/fields.js';
import { checkpointName } from '../checkpoint-name.js';

export function ForkDialog(props: { checkpoint: CheckpointView; onClose: () => void }): ReactNode {
  const { checkpoint, onClose } = props;
  const t = useText();
  const navigate = useNavigate();
  const [message, say] = useState('');
  const fork = useMutation({
    mutationFn: () =>
      bullpen.checkpoints.fork(checkpoint.id, message.trim() === '' ? {} : { message: message.trim() }),
    onSuccess: ({ id }) => navigate({ to: '/tasks/$taskId', params: { taskId: id } }),
  });
  return (
    <Dialog
      title={t('fork.title')}
      onClose={onClose}
      footer={
        <>
          <Button kind="primary" icon="fork" disabled={fork.isPending} onClick={() => fork.mutate()}>
            {t('fork.act')}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <p>
        {t('fork.from', { name: checkpointName(checkpoint, t), turn: checkpoint.turn, n: checkpoint.files })}
      </p>
      <TextArea label={t('fork.message')} value={message} onChange={say} onSubmit={() => fork.mutate()} />
      {fork.error !== null && <FailureNote error={fork.error} />}
    </Dialog>
  );
}

/** The other ways to go on with a task that stopped: with a word to its agent, with more of a limit, or from the beginning. */
import type { TaskView } from '@bullpen/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Choice } from '../../../ui/choice.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { TextArea, TextField } from '../../../ui/fields.js';
import { useTaskChange } from '../use-task-change.js';

type Way = 'resume' | 'new';

const COUNT = /^[1-9]\d{0,3}$/;

export function OtherWays({ task, onClose }: { task: TaskView; onClose: () => void }): ReactNode {
  const t = useText();
  const navigate = useNavigate();
  const ways: readonly Way[] = task.state === 'failed' ? ['resume', 'new'] : ['new'];
  const [way, choose] = useState<Way>(ways[0] ?? 'new');
  const [message, say] = useState('');
  const [turns, setTurns] = useState(String(task.limits.turns));
  const retry = useTaskChange((tasks) =>
    tasks.retry(task.id, {
      mode: way,
      ...(message.trim() !== '' && { message: message.trim() }),
      ...(Number(turns) !== task.limits.turns && { limits: { turns: Number(turns) } }),
    }),
  );
  const leave = (next: TaskView): void => {
    onClose();
    if (next.id !== task.id) void navigate({ to: '/tasks/$taskId', params: { taskId: next.id } });
  };
  return (
    <ActDialog
      title={t('ways.title')}
      act={t(`ways.${way}`)}
      disabled={retry.isPending || !COUNT.test(turns)}
      onAct={() => retry.mutate(undefined, { onSuccess: leave })}
      error={retry.error}
      onClose={onClose}
    >
      <Choice
        label={t('ways.title')}
        value={way}
        onChange={choose}
        options={ways.map((value) => ({
          value,
          label: t(`ways.${value}Text`),
          hint: t(`ways.${value}Hint`),
        }))}
      />
      <TextArea label={t('ways.message')} value={message} onChange={say} />
      <TextField label={t('ways.turns')} inputMode="numeric" value={turns} onChange={setTurns} />
    </ActDialog>
  );
}

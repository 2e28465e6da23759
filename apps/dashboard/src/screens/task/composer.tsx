/** What one tells the agent: after its turn, at once, or instead of its turn; and what of that it has not read yet. */
import { isTerminal, type InboxMessageView, type SendStrategy, type TaskView } from '@bullpen/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode, type RefObject } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useText } from '../../i18n/texts.js';
import { Button, IconButton } from '../../ui/button.js';
import { useSubmitKey } from '../../ui/use-submit-key.js';
import { waitingMessagesQuery } from './queries.js';

export type Strategy = Exclude<SendStrategy, 'reject'>;

interface ComposerProps {
  readonly task: TaskView;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly strategy: Strategy;
  readonly onStrategy: (strategy: Strategy) => void;
}

export function Composer({ task, field, strategy, onStrategy }: ComposerProps): ReactNode {
  const t = useText();
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const send = useMutation({
    mutationFn: (message: string) => bullpen.tasks.sendMessage(task.id, { text: message, strategy }),
    onMutate: () => setText(''),
    // What was not sent is not lost.
    onError: (_, message) => setText((now) => (now === '' ? message : now)),
    onSuccess: () => {
      onStrategy('queue');
      void queries.invalidateQueries({ queryKey: ['messages', task.id] });
    },
  });
  const submit = (written: string): void => {
    if (written.trim() !== '' && !send.isPending) send.mutate(written.trim());
  };
  return (
    <div className="composer-frame">
      <WaitingMessages taskId={task.id} onEdit={(message) => setText(message)} />
      {send.error !== null && (
        <p className="composer-failed" role="alert">
          {t('composer.failed')} {send.error.message}
        </p>
      )}
      <div className="composer">
        <MessageField
          field={field}
          text={text}
          onText={setText}
          onSubmit={submit}
          placeholder={t(placeholderOf(task))}
        />
        {task.state === 'running' && <StrategyChoice strategy={strategy} onStrategy={onStrategy} />}
        <IconButton
          icon="send"
          kind="primary"
          label={t('composer.send')}
          disabled={text.trim() === '' || send.isPending}
          onClick={() => submit(text)}
        />
      </div>
    </div>
  );
}

function placeholderOf({ state, stopCause }: TaskView) {
  if (!isTerminal(state)) return 'composer.tell';
  return state === 'completed' && stopCause === 'goal' ? 'composer.goOn' : 'composer.resume';
}

interface MessageFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly placeholder: string;
  readonly onText: (text: string) => void;
  readonly onSubmit: (text: string) => void;
}

function MessageField({ field, text, placeholder, onText, onSubmit }: MessageFieldProps): ReactNode {
  // On a phone Enter begins a new line: its keyboard has no other way.
  const isTouch = matchMedia('(pointer: coarse)').matches;
  const keys = useSubmitKey(onSubmit, isTouch ? 'mod' : 'enter');
  return (
    <textarea
      ref={field}
      className="composer-field"
      rows={1}
      value={text}
      placeholder={placeholder}
      aria-label={placeholder}
      onChange={(event) => onText(event.target.value)}
      {...keys}
    />
  );
}

const STRATEGIES: readonly Strategy[] = ['queue', 'interrupt', 'rollback'];

function StrategyChoice({ strategy, onStrategy }: Pick<ComposerProps, 'strategy' | 'onStrategy'>): ReactNode {
  const t = useText();
  return (
    <select
      className="chip composer-how"
      aria-label={t('composer.when')}
      value={strategy}
      onChange={(event) => onStrategy(event.target.value as Strategy)}
    >
      {STRATEGIES.map((each) => (
        <option key={each} value={each}>
          {t(`composer.${each}`)}
        </option>
      ))}
    </select>
  );
}

function WaitingMessages({ taskId, onEdit }: { taskId: string; onEdit: (text: string) => void }): ReactNode {
  const { data = [] } = useQuery(waitingMessagesQuery(taskId));
  if (data.length === 0) return null;
  return (
    <ul className="composer-waiting">
      {data.map((message) => (
        <WaitingMessage key={message.id} message={message} onEdit={onEdit} />
      ))}
    </ul>
  );
}

/** To change one is to take it back and to write it again: then nothing is sent that is half changed. */
function WaitingMessage({
  message,
  onEdit,
}: {
  message: InboxMessageView;
  onEdit: (text: string) => void;
}): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => bullpen.tasks.withdrawMessage(message.taskId, message.id),
    onSettled: () => queries.invalidateQueries({ queryKey: ['messages', message.taskId] }),
  });
  const edit = (): void => withdraw.mutate(undefined, { onSuccess: () => onEdit(message.text) });
  return (
    <li className="row">
      <span className="dim nowrap">{t('composer.waits')}</span>
      <span className="trunc grow">{message.text}</span>
      <Button small kind="quiet" disabled={withdraw.isPending} onClick={edit}>
        {t('composer.edit')}
      </Button>
      <Button small kind="quiet" disabled={withdraw.isPending} onClick={() => withdraw.mutate()}>
        {t('composer.withdraw')}
      </Button>
    </li>
  );
}

/** The agent wants to know something. */
import type { QuestionPayload } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { Choice, Choices } from '../choice.js';
import { TextArea } from '../fields.js';
import type { AskProps } from './ask-props.js';
import { AskFrame } from './ask-frame.js';
import { LastWords } from './last-words.js';
import { useAnswer } from './use-answer.js';

export function QuestionAsk(props: AskProps & { asked: QuestionPayload }): ReactNode {
  const { view, layout, hasKeys, onAnswered, asked } = props;
  const t = useText();
  const [choices, choose] = useState<string[]>([]);
  const [words, setWords] = useState('');
  const { answer, isSending, refusal } = useAnswer(view, onAnswered);
  const text = words.trim();
  const isAnswered = choices.length > 0 || text !== '';
  const send = (): void => {
    if (isAnswered) answer({ ...(choices.length > 0 && { choices }), ...(text !== '' && { text }) });
  };
  useShortcuts(hasKeys ? { 'mod+Enter': send } : {});
  const options = asked.options.map(({ label, description }) => ({
    value: label,
    label,
    ...(description !== undefined && { hint: description }),
  }));
  const actions = (
    <>
      <Button
        kind="primary"
        className="first"
        shortcut="Ctrl ↵"
        disabled={isSending || !isAnswered}
        onClick={send}
      >
        {t('ask.answer')}
      </Button>
      <Button kind="quiet" disabled={isSending} onClick={() => answer({ cancel: true })}>
        {t('ask.leave')}
      </Button>
    </>
  );
  const title = layout === 'page' ? (asked.header ?? t('ask.question')) : `${view.taskTitle}`;
  return (
    <AskFrame view={view} layout={layout} title={title} refusal={refusal} actions={actions}>
      <p className="say">{asked.question}</p>
      {options.length > 0 &&
        (asked.multiple ? (
          <Choices label={asked.question} options={options} values={choices} onChange={choose} />
        ) : (
          <Choice
            label={asked.question}
            options={options}
            value={choices[0] ?? null}
            onChange={(choice) => choose([choice])}
          />
        ))}
      {asked.freeText && (
        <TextArea
          label={t(options.length > 0 ? 'ask.ownWordsToo' : 'ask.ownWords')}
          value={words}
          onChange={setWords}
          onSubmit={send}
        />
      )}
      {layout === 'page' && <LastWords taskId={view.taskId} />}
    </AskFrame>
  );
}

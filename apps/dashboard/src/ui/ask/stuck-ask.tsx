/** The agent makes one mistake after the other: how should it go on, or should it end? */
import type { MistakesPayload } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { ActDialog } from '../act-dialog.js';
import { TextArea } from '../fields.js';
import type { AskProps } from './ask-props.js';
import { AskFrame } from './ask-frame.js';
import { LastWords } from './last-words.js';
import { useAnswer } from './use-answer.js';

export function StuckAsk(props: AskProps & { asked: MistakesPayload }): ReactNode {
  const { view, layout, hasKeys, onAnswered, asked } = props;
  const t = useText();
  const [guidance, setGuidance] = useState('');
  const [ends, setEnds] = useState(false);
  const { answer, isSending, refusal } = useAnswer(view, onAnswered);
  const goOn = (): void => {
    const words = guidance.trim();
    answer({ decision: 'continue', ...(words !== '' && { guidance: words }) });
  };
  useShortcuts(hasKeys ? { 'mod+Enter': goOn } : {});
  const actions = (
    <>
      <Button kind="primary" className="first" shortcut="Ctrl ↵" disabled={isSending} onClick={goOn}>
        {t('stuck.goOn')}
      </Button>
      <Button kind="danger" onClick={() => setEnds(true)}>
        {t('stuck.end')}
      </Button>
    </>
  );
  return (
    <AskFrame
      view={view}
      layout={layout}
      title={asked.cause === 'context' ? t('stuck.tooLong') : t('stuck.title', { n: asked.mistakes })}
      refusal={refusal}
      actions={actions}
    >
      <p className="say">{asked.message}</p>
      <TextArea label={t('stuck.how')} value={guidance} onChange={setGuidance} onSubmit={goOn} />
      {layout === 'page' && <LastWords taskId={view.taskId} />}
      {ends && (
        <ActDialog
          title={t('stuck.endTitle')}
          act={t('stuck.endDo')}
          kind="danger"
          onAct={() => {
            setEnds(false);
            answer({ decision: 'stop' });
          }}
          onClose={() => setEnds(false)}
        >
          <p>{t('stuck.endHow')}</p>
        </ActDialog>
      )}
    </AskFrame>
  );
}

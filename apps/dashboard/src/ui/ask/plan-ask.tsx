/** Is this plan accepted? */
import { PLAN_AUTONOMIES, type PlanPayload } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { ActDialog } from '../act-dialog.js';
import { Select, TextArea } from '../fields.js';
import type { AskProps } from './ask-props.js';
import { AskFrame } from './ask-frame.js';
import { AskedPlan } from './heavy-parts.js';
import { useAnswer } from './use-answer.js';

type PlanAutonomy = (typeof PLAN_AUTONOMIES)[number];

export function PlanAsk(props: AskProps & { asked: PlanPayload }): ReactNode {
  const { view, layout, hasKeys, onAnswered, asked } = props;
  const t = useText();
  const [opened, open] = useState<'edit' | 'revise' | null>(null);
  const [autonomy, setAutonomy] = useState<PlanAutonomy>('agent');
  const { answer, isSending, refusal } = useAnswer(view, onAnswered);
  const close = (): void => open(null);
  const accept = (plan?: string): void => {
    close();
    answer({ decision: 'accept', autonomy, ...(plan !== undefined && { plan }) });
  };
  useShortcuts(hasKeys ? { 'mod+Enter': () => accept(), e: () => open('edit') } : {});
  const actions = (
    <>
      <Button
        kind="primary"
        className="first"
        shortcut="Ctrl ↵"
        disabled={isSending}
        onClick={() => accept()}
      >
        {t('plan.accept')}
      </Button>
      <Button shortcut="E" onClick={() => open('edit')}>
        {t('ask.edit')}
      </Button>
      <Button onClick={() => open('revise')}>{t('plan.sendBack')}</Button>
    </>
  );
  return (
    <AskFrame
      view={view}
      layout={layout}
      title={t('plan.version', { n: asked.version })}
      refusal={refusal}
      actions={actions}
    >
      <AskedPlan text={asked.plan} />
      {asked.steps.length > 0 && (
        <ol className="say plan-steps" aria-label={t('plan.steps')}>
          {asked.steps.map((step, index) => (
            <li key={index}>{step}</li>
          ))}
        </ol>
      )}
      <Select
        label={t('plan.then')}
        value={autonomy}
        onChange={setAutonomy}
        options={PLAN_AUTONOMIES.map((value) => ({ value, label: t(`autonomy.${value}`) }))}
      />
      {opened === 'edit' && <EditPlan plan={asked.plan} onClose={close} onAccept={accept} />}
      {opened === 'revise' && (
        <RevisePlan
          onClose={close}
          onSend={(remarks) => {
            close();
            answer({ decision: 'revise', remarks });
          }}
        />
      )}
    </AskFrame>
  );
}

function EditPlan(props: { plan: string; onClose: () => void; onAccept: (plan: string) => void }): ReactNode {
  const { plan, onClose, onAccept } = props;
  const t = useText();
  const [text, setText] = useState(plan);
  return (
    <ActDialog
      title={t('plan.editTitle')}
      act={t('plan.accept')}
      disabled={text.trim() === ''}
      onAct={() => onAccept(text)}
      onClose={onClose}
    >
      <TextArea label={t('ask.plan')} code rows={14} value={text} onChange={setText} />
    </ActDialog>
  );
}

function RevisePlan({
  onClose,
  onSend,
}: {
  onClose: () => void;
  onSend: (remarks: string) => void;
}): ReactNode {
  const t = useText();
  const [remarks, setRemarks] = useState('');
  const send = (): void => {
    if (remarks.trim() !== '') onSend(remarks.trim());
  };
  return (
    <ActDialog
      title={t('plan.sendBackTitle')}
      act={t('plan.sendBackDo')}
      disabled={remarks.trim() === ''}
      onAct={send}
      onClose={onClose}
    >
      <TextArea label={t('plan.remarks')} value={remarks} onChange={setRemarks} onSubmit={send} />
    </ActDialog>
  );
}

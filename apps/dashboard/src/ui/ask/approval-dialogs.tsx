/** What an approval asks before it is answered in another way than once and as it is. */
import type { ApprovalPayload, Json, PolicyScope } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { Choice } from '../choice.js';
import { Dialog } from '../dialog.js';
import { inexactNumber } from '../exact-json.js';
import { TextArea } from '../fields.js';
import { commandOf, fieldsOf } from './asked.js';

export function DenyDialog({
  onClose,
  onDeny,
}: {
  onClose: () => void;
  onDeny: (remarks: string) => void;
}): ReactNode {
  const t = useText();
  const [remarks, setRemarks] = useState('');
  return (
    <Dialog
      title={t('deny.title')}
      onClose={onClose}
      footer={
        <>
          <Button kind="danger" onClick={() => onDeny(remarks.trim())}>
            {t('deny.do')}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <TextArea
        label={t('deny.why')}
        hint={t('deny.whyHow')}
        value={remarks}
        onChange={setRemarks}
        onSubmit={() => onDeny(remarks.trim())}
      />
    </Dialog>
  );
}

/** The command as a line, or else all arguments as JSON. */
export function EditDialog(props: {
  asked: ApprovalPayload;
  onClose: () => void;
  onAllow: (args: Json) => void;
}): ReactNode {
  const { asked, onClose, onAllow } = props;
  const t = useText();
  const command = commandOf(asked);
  const [text, setText] = useState(command ?? JSON.stringify(asked.arguments, null, 2));
  const edited = command === null ? parsed(text) : { value: { ...fieldsOf(asked.arguments), command: text } };
  return (
    <Dialog
      title={t('edit.title')}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="primary"
            disabled={edited === null}
            onClick={() => edited !== null && onAllow(edited.value)}
          >
            {t('edit.do')}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <TextArea
        label={t(command === null ? 'edit.arguments' : 'edit.command')}
        hint={edited === null ? t('edit.notJson') : t('edit.how')}
        code
        value={text}
        onChange={setText}
      />
    </Dialog>
  );
}

function parsed(text: string): { value: Json } | null {
  try {
    return inexactNumber(text) === null ? { value: JSON.parse(text) as Json } : null;
  } catch {
    // Half of it is typed: the dialog says what is missing.
    return null;
  }
}

const SCOPES: readonly PolicyScope[] = ['task', 'project', 'installation'];

/** The rule is shown before it is stored. */
export function RememberDialog(props: {
  sentence: string;
  onClose: () => void;
  onAllow: (scope: PolicyScope) => void;
}): ReactNode {
  const { sentence, onClose, onAllow } = props;
  const t = useText();
  const [scope, setScope] = useState<PolicyScope>('task');
  return (
    <Dialog
      title={t('remember.title')}
      onClose={onClose}
      footer={
        <>
          <Button kind="primary" onClick={() => onAllow(scope)}>
            {t('remember.do')}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <p>{sentence}</p>
      <Choice
        label={t('remember.where')}
        value={scope}
        onChange={setScope}
        options={SCOPES.map((value) => ({
          value,
          label: t(`remember.${value}`),
          hint: t(`remember.${value}How`),
        }))}
      />
      <p className="dim">{t('remember.denied')}</p>
    </Dialog>
  );
}

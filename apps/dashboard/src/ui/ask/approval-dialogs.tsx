/** What an approval asks before it is answered in another way than once and as it is. */
import { inexactNumber, type ApprovalPayload, type Json, type PolicyScope } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Choice } from '../choice.js';
import { ActDialog } from '../act-dialog.js';
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
    <ActDialog
      title={t('deny.title')}
      act={t('deny.do')}
      kind="danger"
      onAct={() => onDeny(remarks.trim())}
      onClose={onClose}
    >
      <TextArea
        label={t('deny.why')}
        hint={t('deny.whyHow')}
        value={remarks}
        onChange={setRemarks}
        onSubmit={() => onDeny(remarks.trim())}
      />
    </ActDialog>
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
    <ActDialog
      title={t('edit.title')}
      act={t('edit.do')}
      disabled={edited === null}
      onAct={() => edited !== null && onAllow(edited.value)}
      onClose={onClose}
    >
      <TextArea
        label={t(command === null ? 'edit.arguments' : 'edit.command')}
        hint={edited === null ? t('edit.notJson') : t('edit.how')}
        code
        value={text}
        onChange={setText}
      />
    </ActDialog>
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
    <ActDialog
      title={t('remember.title')}
      act={t('remember.do')}
      onAct={() => onAllow(scope)}
      onClose={onClose}
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
    </ActDialog>
  );
}

/** When it stops, and what else can be said of it. */
import type { Limits } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { TextField } from '../../ui/fields.js';
import type { NewTask } from './form.js';

interface FieldsProps {
  readonly form: NewTask;
  readonly onChange: (part: Partial<NewTask>) => void;
}

export function LimitFields(props: FieldsProps & { defaults: Limits | undefined }): ReactNode {
  const { form, defaults, onChange } = props;
  const t = useText();
  return (
    <div className="cols2">
      <TextField
        label={t('new.budget')}
        hint={t('new.budgetHow')}
        before="$"
        inputMode="decimal"
        placeholder={defaults?.costUsd ?? t('new.noLimit')}
        value={form.budget}
        onChange={(budget) => onChange({ budget })}
      />
      <TextField
        label={t('new.turns')}
        hint={t('new.turnsHow')}
        inputMode="numeric"
        placeholder={defaults === undefined ? '' : String(defaults.turns)}
        value={form.turns}
        onChange={(turns) => onChange({ turns })}
      />
    </div>
  );
}

export function MoreFields({ form, onChange }: FieldsProps): ReactNode {
  const t = useText();
  return (
    <details className="lab">
      <summary className="l">{t('new.more')}</summary>
      <div className="cols2">
        <TextField label={t('new.title')} value={form.title} onChange={(title) => onChange({ title })} />
        <TextField
          label={t('new.tags')}
          hint={t('new.tagsHow')}
          value={form.tags}
          onChange={(tags) => onChange({ tags })}
        />
        <TextField
          label={t('new.priority')}
          hint={t('new.priorityHow')}
          inputMode="numeric"
          placeholder="0"
          value={form.priority}
          onChange={(priority) => onChange({ priority })}
        />
      </div>
    </details>
  );
}

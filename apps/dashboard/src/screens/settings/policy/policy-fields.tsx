/** The fields of a layer: what runs without asking, what narrower layers cannot turn on, and the lists. */
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { TextArea } from '../../../ui/fields.js';
import { CATEGORIES, keyOf, LISTS, type Category, type PolicyForm, type Say } from './policy-form.js';

interface FieldsProps {
  readonly form: PolicyForm;
  readonly onChange: (form: PolicyForm) => void;
}

const SAYS: readonly Say[] = ['wider', 'runs', 'asks'];

export function CategoryFields({ form, onChange }: FieldsProps): ReactNode {
  const t = useText();
  return (
    <table className="data-table policy">
      <thead>
        <tr>
          <th>{t('policies.category')}</th>
          <th>{t('policies.without')}</th>
          <th title={t('policies.lockHow')}>{t('policies.lock')}</th>
        </tr>
      </thead>
      <tbody>
        {CATEGORIES.map((category) => (
          <CategoryRow key={category} category={category} form={form} onChange={onChange} />
        ))}
      </tbody>
    </table>
  );
}

function CategoryRow({ category, form, onChange }: FieldsProps & { category: Category }): ReactNode {
  const t = useText();
  const name = t(`policies.on.${category}`);
  const isLocked = form.locked.includes(category);
  const say = (value: Say): void => onChange({ ...form, says: { ...form.says, [category]: value } });
  const lock = (locks: boolean): void => {
    const others = form.locked.filter((each) => each !== category);
    onChange({ ...form, locked: locks ? [...others, category] : others });
  };
  return (
    <tr>
      <td title={category}>{name}</td>
      <td>
        <select
          className="chip"
          aria-label={name}
          value={form.says[category]}
          onChange={({ target }) => say(target.value as Say)}
        >
          {SAYS.map((value) => (
            <option key={value} value={value}>
              {t(`policies.say.${value}`)}
            </option>
          ))}
        </select>
      </td>
      <td>
        <input
          type="checkbox"
          className="check"
          aria-label={`${t('policies.lock')}: ${name}`}
          checked={isLocked}
          onChange={({ target }) => lock(target.checked)}
        />
      </td>
    </tr>
  );
}

export function ListFields({ form, onChange }: FieldsProps): ReactNode {
  const t = useText();
  return (
    <>
      <p className="dim">{t('policies.listHow')}</p>
      <div className="cols2">
        {LISTS.map((list) => (
          <TextArea
            key={keyOf(list)}
            code
            rows={2}
            label={t(list.text)}
            value={form.lists[keyOf(list)] ?? ''}
            onChange={(text) => onChange({ ...form, lists: { ...form.lists, [keyOf(list)]: text } })}
          />
        ))}
      </div>
    </>
  );
}

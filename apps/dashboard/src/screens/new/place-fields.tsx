/** Where it works. */
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Select, TextField } from '../../ui/fields.js';
import type { NewTask } from './form.js';

const PLACES = ['empty', 'folder', 'git'] as const;

export function PlaceFields(props: { form: NewTask; onChange: (part: Partial<NewTask>) => void }): ReactNode {
  const { form, onChange } = props;
  const t = useText();
  return (
    <div className="cols2">
      <Select
        label={t('new.worksOn')}
        hint={t(`new.place.${form.place}How`)}
        value={form.place}
        options={PLACES.map((value) => ({ value, label: t(`new.place.${value}`) }))}
        onChange={(place) => onChange({ place })}
      />
      {form.place === 'folder' && (
        <TextField
          label={t('new.folder')}
          placeholder="/srv/shop"
          value={form.folder}
          onChange={(folder) => onChange({ folder })}
        />
      )}
      {form.place === 'git' && (
        <>
          <TextField
            label={t('new.url')}
            placeholder="https://github.com/acme/shop.git"
            value={form.url}
            onChange={(url) => onChange({ url })}
          />
          <TextField
            label={t('new.ref')}
            placeholder="main"
            value={form.ref}
            onChange={(ref) => onChange({ ref })}
          />
        </>
      )}
    </div>
  );
}

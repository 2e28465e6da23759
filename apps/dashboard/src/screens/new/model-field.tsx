/** Which model thinks: the agent's own, or another one that the gateway knows. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { modelsQuery } from '../../app/queries/identity.js';
import { useText } from '../../i18n/texts.js';
import { Select } from '../../ui/fields.js';

export function ModelField(props: {
  model: string;
  ofAgent: string | undefined;
  onChange: (model: string) => void;
}): ReactNode {
  const { model, ofAgent, onChange } = props;
  const t = useText();
  const { data: models = [] } = useQuery(modelsQuery);
  const chosen = models.find(({ id }) => id === (model === '' ? ofAgent : model));
  const price = chosen?.price;
  return (
    <Select
      label={t('new.model')}
      hint={price == null ? undefined : t('new.price', { input: price.input, output: price.output })}
      value={model}
      options={[
        { value: '', label: ofAgent === undefined ? t('new.ofAgent') : `${ofAgent} (${t('new.ofAgent')})` },
        ...models.map(({ id }) => ({ value: id, label: id })),
      ]}
      onChange={onChange}
    />
  );
}

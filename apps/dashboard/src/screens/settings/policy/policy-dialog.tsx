/** One layer of the policy, written or changed as a whole: in place of the revision that was read, so that nobody's change is lost. */
import { NO_RULES, type PolicyScope, type PolicyView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { policiesQuery } from '../../../app/queries/installation.js';
import { useText } from '../../../i18n/texts.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { Select, TextField } from '../../../ui/fields.js';
import { formOf, layerOf } from './policy-form.js';
import { CategoryFields, ListFields } from './policy-fields.js';

const SCOPES: readonly PolicyScope[] = ['installation', 'project', 'task'];
const EMPTY = { approvals: {}, locked: [], rules: NO_RULES };

/** `policy`: null for a new one. */
export function PolicyDialog(props: { policy: PolicyView | null; onClose: () => void }): ReactNode {
  const { policy, onClose } = props;
  const t = useText();
  const queries = useQueryClient();
  const [scope, setScope] = useState(policy?.scope ?? 'installation');
  const [key, setKey] = useState(policy?.key ?? '');
  const [form, change] = useState(() => formOf(policy?.layer ?? EMPTY));
  const place = scope === 'installation' ? '' : key.trim();
  const refresh = () => queries.invalidateQueries({ queryKey: policiesQuery.queryKey });
  const saving = useMutation({
    mutationFn: () =>
      bullpen.policies.put(scope, place, { layer: layerOf(form), revision: policy?.revision ?? 0 }),
    onSuccess: onClose,
    onSettled: refresh,
  });
  const isReady = (scope === 'installation' || place !== '') && !saving.isPending;
  return (
    <ActDialog
      wide
      title={policy === null ? t('policies.new') : t('policies.edit', { what: t(`policies.${scope}`) })}
      act={t('policies.save')}
      disabled={!isReady}
      error={saving.error}
      onAct={() => saving.mutate()}
      onClose={onClose}
    >
      {policy === null ? (
        <div className="cols2">
          <Select
            label={t('policies.where')}
            value={scope}
            options={SCOPES.map((value) => ({ value, label: t(`policies.${value}`) }))}
            onChange={setScope}
          />
          {scope !== 'installation' && (
            <TextField
              label={t(`policies.key.${scope}`)}
              placeholder={scope === 'project' ? '/home/me/shop' : 'task_…'}
              value={key}
              onChange={setKey}
            />
          )}
        </div>
      ) : (
        place !== '' && <code>{place}</code>
      )}
      <CategoryFields form={form} onChange={change} />
      <ListFields form={form} onChange={change} />
    </ActDialog>
  );
}

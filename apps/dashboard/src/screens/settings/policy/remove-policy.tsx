/** Before a layer of the policy is taken away. */
import type { PolicyView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { policiesQuery } from '../../../app/queries/installation.js';
import { useText } from '../../../i18n/texts.js';
import { ActDialog } from '../../../ui/act-dialog.js';

export function RemovePolicy({ policy, onClose }: { policy: PolicyView; onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => bullpen.policies.remove(policy.scope, policy.key),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: policiesQuery.queryKey }),
  });
  return (
    <ActDialog
      title={t('policies.removeTitle')}
      act={t('policies.removeDo')}
      kind="danger"
      disabled={removing.isPending}
      onAct={() => removing.mutate()}
      error={removing.error}
      onClose={onClose}
    >
      <p>{t('policies.removeHow')}</p>
      <pre className="cmd">{JSON.stringify(policy.layer, null, 2)}</pre>
    </ActDialog>
  );
}

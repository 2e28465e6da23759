/** Before a layer of the policy is taken away. */
import type { PolicyView } from '@bullpen/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { policiesQuery } from '../../../app/queries/installation.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { FailureNote } from '../../../ui/failure-text.js';

export function RemovePolicy({ policy, onClose }: { policy: PolicyView; onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => bullpen.policies.remove(policy.scope, policy.key),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: policiesQuery.queryKey }),
  });
  return (
    <Dialog
      title={t('policies.removeTitle')}
      onClose={onClose}
      footer={
        <>
          <Button kind="danger" disabled={removing.isPending} onClick={() => removing.mutate()}>
            {t('policies.removeDo')}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <p>{t('policies.removeHow')}</p>
      <pre className="cmd">{JSON.stringify(policy.layer, null, 2)}</pre>
      {removing.error !== null && <FailureNote error={removing.error} />}
    </Dialog>
  );
}

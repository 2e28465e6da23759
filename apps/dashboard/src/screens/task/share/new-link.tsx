/** Makes a link. It is told this once: only its maker can pass it on. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Select } from '../../../ui/fields.js';
import { sharesQuery } from '../queries.js';

const DAYS = ['1', '7', '30', '90'] as const;
type Days = (typeof DAYS)[number];

export function NewLink({ taskId }: { taskId: string }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const [days, choose] = useState<Days>('7');
  const making = useMutation({
    mutationFn: () => bullpen.shares.create(taskId, { days: Number(days) }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sharesQuery(taskId).queryKey }),
  });
  return (
    <>
      <div className="row share-make">
        <Select
          label={t('share.days')}
          value={days}
          options={DAYS.map((value) => ({ value, label: t('share.dayCount', { n: Number(value) }) }))}
          onChange={choose}
        />
        <Button kind="primary" icon="share" disabled={making.isPending} onClick={() => making.mutate()}>
          {t('share.make')}
        </Button>
      </div>
      {making.error !== null && <FailureNote error={making.error} />}
      {making.data !== undefined && (
        <div role="status">
          <p>{t('share.once')}</p>
          <div className="code">
            <CopyButton text={making.data.url} />
            <code>{making.data.url}</code>
          </div>
        </div>
      )}
    </>
  );
}

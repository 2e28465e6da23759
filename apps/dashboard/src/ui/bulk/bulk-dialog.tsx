/** One thing done to many tasks: first a look at what it would do, then its progress. */
import { usd } from '@bullpen/client';
import type { BulkPreview, CreateBulkActionInput } from '@bullpen/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { Dialog } from '../dialog.js';
import { FailureNote } from '../failure-text.js';
import { Loading } from '../loading.js';
import { BulkProgress } from './bulk-progress.js';

export interface BulkAction {
  readonly verb: 'retry' | 'cancel' | 'archive';
}

export function BulkDialog(props: {
  action: BulkAction;
  which: Pick<CreateBulkActionInput, 'filter' | 'ids'>;
  onClose: () => void;
  onStarted?: () => void;
}): ReactNode {
  const { action, which, onClose, onStarted } = props;
  const t = useText();
  const queries = useQueryClient();
  const body = { action, ...which };
  const preview = useQuery({
    queryKey: ['bulk', 'preview', body],
    queryFn: ({ signal }) => bullpen.bulkActions.preview(body, { signal }),
    staleTime: 0,
  });
  const starting = useMutation({
    mutationFn: () => bullpen.bulkActions.create(body),
    onSettled: () => queries.invalidateQueries({ queryKey: ['tasks'] }),
  });
  const close = (): void => {
    if (starting.isSuccess) onStarted?.();
    onClose();
  };
  const able = preview.data?.able ?? 0;
  const { verb } = action;
  return (
    <Dialog
      title={t(`bulk.${verb}Title`)}
      onClose={close}
      footer={
        starting.isSuccess ? (
          <Button onClick={close}>{t('action.close')}</Button>
        ) : (
          <>
            <Button
              kind={verb === 'cancel' ? 'danger' : 'primary'}
              disabled={able === 0 || starting.isPending}
              onClick={() => starting.mutate()}
            >
              {t(`bulk.${verb}Do`, { n: able })}
            </Button>
            <Button onClick={close}>{t('action.notNow')}</Button>
          </>
        )
      }
    >
      {preview.isPending && <Loading rows={1} />}
      {preview.error !== null && <FailureNote error={preview.error} />}
      {starting.error !== null && <FailureNote error={starting.error} />}
      {starting.data === undefined ? (
        preview.data !== undefined && <Look preview={preview.data} />
      ) : (
        <BulkProgress id={starting.data.id} />
      )}
    </Dialog>
  );
}

/** How many it would be tried on, how many can be done, why not the others, and what they have cost. */
function Look({ preview }: { preview: BulkPreview }): ReactNode {
  const t = useText();
  const { matched, considered, able, reasons, byCause, costSoFarUsd } = preview;
  return (
    <>
      <p>
        {t('bulk.look', { n: able, m: matched })} {t('bulk.cost', { cost: usd(costSoFarUsd) })}
        {considered < matched && ` ${t('bulk.considered', { n: considered })}`}
      </p>
      {byCause.length > 0 && (
        <ul className="mini">
          {byCause.map(({ cause, matched: all, able: some }) => (
            <li key={cause}>
              <code>{cause}</code>
              <span className="num dim">{t('bulk.ableOf', { n: some, m: all })}</span>
            </li>
          ))}
        </ul>
      )}
      {reasons.length > 0 && (
        <ul className="mini">
          {reasons.map(({ reason, count }) => (
            <li key={reason}>
              <span className="dim">{reason}</span>
              <span className="num dim">{count}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

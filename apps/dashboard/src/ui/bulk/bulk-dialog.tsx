/** One thing done to many tasks: first a look at what it would do, then its progress. */
import { usd } from '@bullpen/client';
import type { BulkPreview, CreateBulkActionInput } from '@bullpen/contracts';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import type { TextKey } from '../../i18n/keys.js';
import { useText, type Translate } from '../../i18n/texts.js';
import { Button } from '../button.js';
import { Dialog } from '../dialog.js';
import { FailureNote } from '../failure-text.js';
import { Loading } from '../loading.js';
import { useQuiet } from '../use-quiet.js';
import { BulkProgress } from './bulk-progress.js';
import { RetryFields } from './retry-fields.js';
import { actionOf, AS_IT_WAS, roomsOf, type BulkVerbName } from './retry-how.js';

export function BulkDialog(props: {
  verb: BulkVerbName;
  which: Pick<CreateBulkActionInput, 'filter' | 'ids'>;
  onClose: () => void;
  onStarted?: () => void;
}): ReactNode {
  const { verb, which, onClose, onStarted } = props;
  const t = useText();
  const queries = useQueryClient();
  const [how, change] = useState(AS_IT_WAS);
  const action = actionOf(verb, how);
  const look = useLook(action, which);
  const starting = useMutation({
    mutationFn: (body: CreateBulkActionInput) => bullpen.bulkActions.create(body),
    onSettled: () =>
      Promise.all(['tasks', 'bulk'].map((key) => queries.invalidateQueries({ queryKey: [key] }))),
  });
  const close = (): void => {
    if (starting.isSuccess) onStarted?.();
    onClose();
  };
  const able = look.data?.able ?? 0;
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
              disabled={able === 0 || !look.isCurrent || starting.isPending}
              onClick={() => action !== null && starting.mutate({ action, ...which })}
            >
              {t(`bulk.${verb}Do`, { n: able })}
            </Button>
            <Button onClick={close}>{t('action.notNow')}</Button>
          </>
        )
      }
    >
      {starting.error !== null && <FailureNote error={starting.error} />}
      {starting.data === undefined ? (
        <>
          {look.data !== undefined && verb === 'retry' && (
            <RetryFields how={how} rooms={roomsOf(look.data.byCause)} onChange={change} />
          )}
          {look.error !== null && <FailureNote error={look.error} />}
          {look.isPending && <Loading rows={1} />}
          {look.data !== undefined && <Look preview={look.data} />}
        </>
      ) : (
        <BulkProgress id={starting.data.id} />
      )}
    </Dialog>
  );
}

/** What it would do; current when that is what is asked for now. */
function useLook(
  action: CreateBulkActionInput['action'] | null,
  which: Pick<CreateBulkActionInput, 'filter' | 'ids'>,
) {
  const asked = JSON.stringify(action);
  const quiet = useQuiet(asked);
  const { data, error, isPending, isPlaceholderData } = useQuery({
    queryKey: ['bulk', 'preview', quiet, which],
    queryFn: ({ signal }) =>
      bullpen.bulkActions.preview(
        { action: JSON.parse(quiet) as CreateBulkActionInput['action'], ...which },
        { signal },
      ),
    enabled: quiet !== 'null',
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return { data, error, isPending, isCurrent: quiet === asked && action !== null && !isPlaceholderData };
}

/** How many it would be tried on, how many can be done, why not the others, and what they have cost. */
function Look({ preview }: { preview: BulkPreview }): ReactNode {
  const t = useText();
  const { matched, considered, able, reasons, byCause, costSoFarUsd } = preview;
  return (
    <>
      <p>
        {t('bulk.look', { n: able, m: matched })}
        {able > 0 && ` ${t('bulk.cost', { cost: usd(costSoFarUsd) })}`}
        {considered < matched && ` ${t('bulk.considered', { n: considered })}`}
      </p>
      {byCause.length > 0 && (
        <ul className="mini">
          {byCause.map(({ cause, matched: all, able: some }) => (
            <li key={cause}>
              <span>{nameOf(cause, t)}</span>
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

/** How a task ended, or the state that it is in. */
const NAMES: Readonly<Record<string, TextKey>> = {
  goal: 'state.completed',
  error: 'state.failed',
  cancelled: 'state.cancelled',
  queued: 'state.queued',
  running: 'state.running',
  waiting: 'state.waiting',
  paused: 'state.paused',
};

function nameOf(cause: string, t: Translate): string {
  const key = NAMES[cause];
  return key === undefined ? cause.replaceAll('_', ' ') : t(key);
}

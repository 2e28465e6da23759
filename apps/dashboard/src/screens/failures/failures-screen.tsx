/** What broke, how often, since when: failed tasks by how they failed, and a retry for all of a kind, with a look first. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { failuresQuery } from '../../app/queries/failures.js';
import { serverNow } from '../../app/server-clock.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { BulkDialog } from '../../ui/bulk/bulk-dialog.js';
import { Unread } from '../../ui/unread.js';
import { WindowSwitch } from '../../ui/window-switch.js';
import { FailureGroupRow } from './failure-group.js';
import { startOf, WINDOWS } from './failures-search.js';
import { Retries } from './retries.js';

/** A group as it was when its retry was asked for: what fails meanwhile is not meant. */
interface Retried {
  readonly failure: string;
  readonly endedAfter: string;
}

export function FailuresScreen(): ReactNode {
  const t = useText();
  const { window = '24h' } = useSearch({ from: '/failures' });
  const navigate = useNavigate({ from: '/failures' });
  const from = startOf(window, serverNow());
  const reading = useQuery(failuresQuery(from));
  const { data } = reading;
  const [open, setOpen] = useState<string | null>(null);
  // Here and not in the group: that is gone as soon as its tasks go on.
  const [retried, retry] = useState<Retried | null>(null);
  useTitle(t('nav.failures'));
  const groups = data?.data ?? [];
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.failures')}</h1>
        {data !== undefined && data.total > 0 && (
          <span className="dim trunc">
            {t('failures.summary', {
              n: data.total,
              ways: t('failures.ways', { n: groups.length }),
              span: t(`window.${window}`),
            })}
          </span>
        )}
        <span className="grow" />
        <WindowSwitch
          windows={WINDOWS}
          value={window}
          onChange={(value) => void navigate({ search: { window: value }, replace: true })}
        />
      </div>
      <div className="body">
        <div className="page">
          <Unread query={reading} />
          {data !== undefined && groups.length === 0 && (
            <div className="boxed blank">
              <b className="strong">{t('failures.none', { span: t(`window.${window}`) })}</b>
              <span className="dim">{t('failures.noneHow')}</span>
            </div>
          )}
          {groups.length > 0 && (
            <section className="boxed" aria-label={t('failures.groups')}>
              <div className="group-head" aria-hidden="true">
                <span />
                <span className="r">{t('failures.tasks')}</span>
                <span>{t('failures.how')}</span>
                <span>{t(`window.${window}`)}</span>
                <span className="c-agent">{t('failures.agents')}</span>
                <span>{t('failures.newest')}</span>
                <span />
              </div>
              {groups.map((group) => (
                <FailureGroupRow
                  key={group.signature}
                  group={group}
                  isOpen={open === group.signature}
                  onToggle={() => setOpen(open === group.signature ? null : group.signature)}
                  onRetry={() => retry({ failure: group.signature, endedAfter: from })}
                />
              ))}
            </section>
          )}
          <Retries />
        </div>
      </div>
      {retried !== null && (
        <BulkDialog
          verb="retry"
          which={{ filter: { ...retried, roots: true, state: ['failed'] } }}
          onClose={() => retry(null)}
        />
      )}
    </>
  );
}

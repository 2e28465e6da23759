/** Where the money goes: by day and by one more thing, what a completed task costs, and the dearest trees. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usageQuery } from '../../app/queries/usage.js';
import { serverNow } from '../../app/server-clock.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { Unread } from '../../ui/unread.js';
import { WindowSwitch } from '../../ui/window-switch.js';
import { DayChart } from './day-chart.js';
import { Dearest } from './dearest.js';
import { UsageFigures } from './usage-figures.js';
import { daysOf, GROUPS, WINDOWS } from './usage-search.js';
import { UsageTable } from './usage-table.js';

export function UsageScreen(): ReactNode {
  const t = useText();
  const { window = '30d', by = 'model' } = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const days = daysOf(window, serverNow());
  const from = `${days[0] ?? ''}T00:00:00.000Z`;
  const reading = useQuery(usageQuery({ groupBy: by, from }));
  const { data: groups } = reading;
  const { data: byDay } = useQuery(usageQuery({ groupBy: 'day', splitBy: by, from }));
  useTitle(t('nav.usage'));
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.usage')}</h1>
        <span className="grow" />
        <span className="seg" role="group" aria-label={t('usage.by')}>
          {GROUPS.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === by}
              onClick={() => void navigate({ search: (before) => ({ ...before, by: each }), replace: true })}
            >
              {t(`usage.${each}`)}
            </button>
          ))}
        </span>
        <WindowSwitch
          windows={WINDOWS}
          value={window}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, window: value }), replace: true })
          }
        />
      </div>
      <div className="body">
        <div className="page">
          <Unread query={reading} />
          {groups !== undefined && (
            <>
              <UsageFigures report={groups} today={byDay} window={window} />
              {byDay !== undefined && groups.data.length > 0 && (
                <DayChart report={byDay} groups={groups} days={days} />
              )}
              <UsageTable report={groups} by={by} />
              <Dearest trees={groups.dearest} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

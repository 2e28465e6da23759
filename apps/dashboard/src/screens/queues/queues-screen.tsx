/** Whether work flows: what waits and for how long, what runs where, and what holds it up. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queuesQuery, samplesQuery, workersQuery } from '../../app/queries/queues.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { Unread } from '../../ui/unread.js';
import { WindowSwitch } from '../../ui/window-switch.js';
import { DepthChart } from './depth-chart.js';
import { FlowButtons } from './flow-buttons.js';
import { FlowTable } from './flow-table.js';
import { ProviderNotes } from './provider-notes.js';
import { QueueFigures } from './queue-figures.js';
import { RatesChart } from './rates-chart.js';
import { Repairs } from './repairs.js';
import { WINDOWS } from './queues-search.js';
import { Workers } from './workers.js';

export function QueuesScreen(): ReactNode {
  const t = useText();
  const { window = '1h' } = useSearch({ from: '/queues' });
  const navigate = useNavigate({ from: '/queues' });
  const reading = useQuery(queuesQuery);
  const { data: samples } = useQuery(samplesQuery(window));
  const { data: workers } = useQuery(workersQuery);
  useTitle(t('nav.queues'));
  const queue = reading.data?.[0];
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.queues')}</h1>
        <span className="grow" />
        <WindowSwitch
          windows={WINDOWS}
          value={window}
          onChange={(value) => void navigate({ search: { window: value }, replace: true })}
        />
        {queue !== undefined && (
          <FlowButtons subject={{ kind: 'queue', name: queue.name }} flow={queue.flow} />
        )}
        <a className="btn quiet only-wide" href="/admin/queues">
          {t('queues.raw')}
        </a>
      </div>
      <div className="body">
        <div className="page">
          <Unread query={reading} />
          {queue !== undefined && (
            <>
              <ProviderNotes queue={queue} />
              <QueueFigures queue={queue} />
              {samples !== undefined && samples.data.length > 0 && (
                <div className="charts">
                  <DepthChart samples={samples} />
                  <RatesChart samples={samples} />
                </div>
              )}
              {workers !== undefined && <Workers workers={workers.data} />}
              <FlowTable queue={queue} />
              <Repairs repairs={queue.repairs} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

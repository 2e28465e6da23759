/** The work modes: the machine drawn from its own table, and one mode in full beside it. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { modesQuery } from '../../app/queries/system.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { ModeMap } from '../../ui/modes/mode-map.js';
import { Unread } from '../../ui/unread.js';
import { ModePanel } from './mode-panel.js';
import { RulesTable } from './rules-table.js';

export function ModesScreen(): ReactNode {
  const t = useText();
  const { mode: wanted = 'idle', table = false } = useSearch({ from: '/modes' });
  const navigate = useNavigate({ from: '/modes' });
  const reading = useQuery(modesQuery);
  const { data: modes } = reading;
  const chosen = modes?.find(({ name }) => name === wanted) ?? modes?.[0];
  useTitle(t('nav.modes'));
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.modes')}</h1>
        <span className="dim trunc only-wide">{t('modes.about')}</span>
        <span className="grow" />
        <button
          type="button"
          className="chip"
          aria-pressed={table}
          onClick={() =>
            void navigate({
              search: (before) => ({ ...before, table: table ? undefined : true }),
              replace: true,
            })
          }
        >
          {t('chart.table')}
        </button>
      </div>
      <div className="body">
        <div className="page modes-page">
          <Unread query={reading} rows={6} />
          {modes !== undefined && chosen !== undefined && (
            <div className="modes-two">
              <div className="modes-map">
                {table ? <RulesTable modes={modes} /> : <ModeMap modes={modes} chosen={chosen.name} />}
                <p className="dim">{t('modes.abandoned')}</p>
              </div>
              <ModePanel mode={chosen} modes={modes} />
            </div>
          )}
        </div>
      </div>
    </>
  );
}

/** An inbox without anything in it: what runs meanwhile. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { systemQuery } from '../../app/queries/system.js';
import { useText } from '../../i18n/texts.js';

export function NothingWaits({ isFiltered }: { isFiltered: boolean }): ReactNode {
  const t = useText();
  const { data: system } = useQuery(systemQuery);
  const running = system?.tasks['running'] ?? 0;
  return (
    <div className="blank">
      <b className="strong">{t(isFiltered ? 'inbox.noneOfKind' : 'inbox.nothing')}</b>
      {isFiltered ? (
        <Link className="link" to="/inbox" search={{}}>
          {t('inbox.showAll')}
        </Link>
      ) : (
        <Link className="link mid" to="/tasks">
          {running > 0 ? t('inbox.running', { n: running }) : t('inbox.toTasks')}
        </Link>
      )}
    </div>
  );
}

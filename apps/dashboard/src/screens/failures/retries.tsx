/** Retries of many that were started, newest first, with how far they are. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bulkQuery } from '../../app/queries/bulk.js';
import { useText } from '../../i18n/texts.js';
import { Age } from '../../ui/time.js';

export function Retries(): ReactNode {
  const t = useText();
  const { data } = useQuery(bulkQuery);
  const actions = data?.data ?? [];
  if (actions.length === 0) return null;
  return (
    <section className="boxed">
      <header>
        <h2>{t('failures.bulk')}</h2>
      </header>
      <ul className="mini pad">
        {actions.map(({ id, action, total, done, refused, left, createdAt, createdBy }) => (
          <li key={id}>
            <span className="trunc">
              {t(`bulk.verb.${action.verb}`, { n: total })}
              <span className="dim">
                {' '}
                · {createdBy}, <Age at={createdAt} />
              </span>
            </span>
            <span className="num dim">{t('bulk.ended', { n: done, m: refused })}</span>
            <span className="num dim">{left > 0 ? t('bulk.left', { n: left }) : ''}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

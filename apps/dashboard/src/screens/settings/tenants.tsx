/** Who shares this installation, and with what weight. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { tenantsQuery } from '../../app/queries/installation.js';
import { useText } from '../../i18n/texts.js';
import { Section } from './section.js';

export function Tenants(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(tenantsQuery);
  return (
    <Section
      title={t('tenants.title')}
      note={t('tenants.note')}
      rows={data}
      error={error}
      none={t('tenants.none')}
    >
      {(tenants) => (
        <ul className="mini pad">
          {tenants.map(({ id, name, weight, maxRunning, running, queued }) => (
            <li key={id}>
              <span className="trunc">
                <span className="strong">{name}</span> <code className="dim">{id}</code>
              </span>
              <span className="dim num">
                {t('tenants.weight', { n: weight })}
                {maxRunning !== null && `, ${t('tenants.most', { n: maxRunning })}`}
              </span>
              <span className="num">{t('tenants.now', { n: running, m: queued })}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

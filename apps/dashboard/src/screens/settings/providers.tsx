/** The keys that workers call models with, and how they stand. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { providersQuery } from '../../app/queries/installation.js';
import { useText } from '../../i18n/texts.js';
import { Section } from './section.js';

export function Providers(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(providersQuery);
  return (
    <Section title={t('providers.title')} rows={data} error={error} none={t('providers.none')}>
      {(keys) => (
        <ul className="mini pad">
          {keys.map(({ id, endpoint, state, workers, message }) => (
            <li key={id}>
              <span className="trunc">
                <span className="strong">{endpoint}</span> <code className="dim">{id}</code>
                {message !== null && <span className="sub">{message}</span>}
              </span>
              <span>{t(`providers.${state}`)}</span>
              <span className="dim num">{t('providers.workers', { n: workers })}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

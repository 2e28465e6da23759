/** The agents that tasks can be given. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { agentsQuery } from '../../app/queries/system.js';
import { useText } from '../../i18n/texts.js';
import { Section } from './section.js';

export function Agents(): ReactNode {
  const t = useText();
  const { data, error } = useQuery(agentsQuery);
  return (
    <Section title={t('agents.title')} rows={data} error={error} none={t('agents.none')}>
      {(agents) => (
        <ul className="mini pad">
          {agents.map(({ name, description, model, tools }) => (
            <li key={name}>
              <span>
                <Link className="link strong" to="/new" search={{ agent: name }}>
                  {name}
                </Link>{' '}
                <span className="dim">{description}</span>
              </span>
              <code className="dim">{model}</code>
              <span className="dim num">{t('agents.tools', { n: tools.length })}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** The trees that cost most. */
import { usd } from '@bullpen/client';
import type { UsageReport } from '@bullpen/contracts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';

export function Dearest({ trees }: { trees: UsageReport['dearest'] }): ReactNode {
  const t = useText();
  if (trees.length === 0) return null;
  return (
    <section className="boxed">
      <header>
        <h2>{t('usage.dearest')}</h2>
      </header>
      <ul className="mini pad">
        {trees.map(({ taskId, title, tasks, costUsd }) => (
          <li key={taskId}>
            <Link className="link trunc" to="/tasks/$taskId" params={{ taskId }}>
              {title}
            </Link>
            <span className="num dim">{t('usage.tasks', { n: tasks })}</span>
            <span className="num">{usd(costUsd)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

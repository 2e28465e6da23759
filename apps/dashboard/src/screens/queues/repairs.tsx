/** What the reconciler put right. */
import type { QueueView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Age } from '../../ui/time.js';

export function Repairs({ repairs }: { repairs: QueueView['repairs'] }): ReactNode {
  const t = useText();
  return (
    <section className="boxed">
      <header>
        <h2>{t('repairs.title')}</h2>
        <span className="dim trunc">{t('repairs.note')}</span>
      </header>
      {repairs.length === 0 ? (
        <p className="pad dim">{t('repairs.none')}</p>
      ) : (
        <ul className="mini pad">
          {repairs.map(({ kind, text, lastDay, lastAt }) => (
            <li key={kind}>
              <span>{text}</span>
              <span className="num">{lastDay}</span>
              <span className="dim">
                <Age at={lastAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

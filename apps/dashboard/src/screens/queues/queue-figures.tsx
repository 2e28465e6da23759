/** The four figures of a queue. Percentiles count only what has started, so the oldest that still waits stands first. */
import { duration } from '@bullpen/client';
import type { QueueView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Figure } from '../../ui/figure.js';

/** From here on a task has waited for long, in ms. */
const LONG_MS = 60_000;

export function QueueFigures({ queue: { total, slots } }: { queue: QueueView }): ReactNode {
  const t = useText();
  const { depth, oldestReadyMs, wait, inPerMinute, outPerMinute } = total;
  const isLong = oldestReadyMs !== null && oldestReadyMs > LONG_MS;
  const grows = (inPerMinute - outPerMinute) * 60;
  return (
    <div className="figs">
      <Figure name={t('queues.ready')} note={t('queues.later', { n: depth.later })}>
        {depth.ready}
      </Figure>
      <Figure
        name={t('queues.oldest')}
        note={wait.p95 === null ? t('queues.noWait') : t('queues.usual', { span: duration(wait.p95) })}
      >
        <span className={isLong ? 'warnv' : undefined}>
          {oldestReadyMs === null ? '–' : duration(oldestReadyMs)}
        </span>
      </Figure>
      <Figure name={t('queues.slots')} note={t('queues.workers', { n: slots.workers, m: slots.closed })}>
        {slots.used} <small>{t('queues.of', { n: slots.total })}</small>
      </Figure>
      <Figure
        name={t('queues.rates')}
        note={
          Math.abs(grows) < 1
            ? t('queues.steady')
            : t(grows > 0 ? 'queues.grows' : 'queues.shrinks', { n: Math.round(Math.abs(grows)) })
        }
      >
        {inPerMinute.toFixed(1)} <small>{t('queues.in')}</small> {outPerMinute.toFixed(1)}{' '}
        <small>{t('queues.out')}</small>
      </Figure>
    </div>
  );
}

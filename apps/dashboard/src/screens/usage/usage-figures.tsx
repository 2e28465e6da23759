/** The four figures of usage. */
import { promptTokens, usd } from '@bullpen/client';
import type { UsageReport } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Figure } from '../../ui/figure.js';
import type { Window } from './usage-search.js';

export function UsageFigures(props: {
  report: UsageReport;
  today: UsageReport | undefined;
  window: Window;
}): ReactNode {
  const { report, today, window } = props;
  const t = useText();
  const { total, outcomes } = report;
  const day = new Date().toISOString().slice(0, 10);
  const spentToday = (today?.data ?? [])
    .filter(({ key }) => key === day)
    .reduce((sum, row) => sum + Number(row.costUsd), 0);
  const completed = outcomes.find(({ state }) => state === 'completed');
  const failed = outcomes.find(({ state }) => state === 'failed');
  const prompt = promptTokens(total);
  return (
    <div className="figs">
      <Figure
        name={t(`window.${window}`)}
        note={
          total.unpricedCalls > 0
            ? t('cost.partly', { n: total.unpricedCalls })
            : t('usage.calls', { n: total.modelCalls })
        }
      >
        {usd(total.costUsd)}
      </Figure>
      <Figure name={t('usage.today')} note={t('usage.utc')}>
        {usd(spentToday.toFixed(9))}
      </Figure>
      <Figure
        name={t('usage.completed')}
        note={
          failed === undefined ? t('usage.noneFailed') : t('usage.failedTook', { cost: usd(failed.costUsd) })
        }
      >
        {completed === undefined || completed.trees === 0
          ? '–'
          : usd((Number(completed.costUsd) / completed.trees).toFixed(9))}
      </Figure>
      <Figure name={t('usage.cache')} note={total.simulated ? t('usage.simulated') : t('usage.cacheHow')}>
        {prompt === 0 ? '–' : `${Math.round((total.cacheReadTokens / prompt) * 100)}%`}
      </Figure>
    </div>
  );
}

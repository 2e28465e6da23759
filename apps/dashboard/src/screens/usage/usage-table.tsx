/** The same as a table: calls, tokens, cost. */
import { count, promptTokens } from '@bullpen/client';
import type { UsageReport, UsageTotals } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Meter } from '../../ui/meter.js';
import { Cost } from '../../ui/money.js';
import { seriesOf } from './series.js';
import type { Group } from './usage-search.js';

export function UsageTable({ report, by }: { report: UsageReport; by: Group }): ReactNode {
  const t = useText();
  const series = seriesOf(report);
  const rows = [...report.data].sort((a, b) => Number(b.costUsd) - Number(a.costUsd));
  const all = Number(report.total.costUsd);
  return (
    <section className="boxed wide-table" tabIndex={0} aria-label={t(`usage.${by}`)}>
      <table className="data-table">
        <thead>
          <tr>
            <th>{t(`usage.${by}`)}</th>
            <th>{t('usage.share')}</th>
            <th className="r">{t('usage.callsHead')}</th>
            <th className="r">{t('usage.input')}</th>
            <th className="r">{t('usage.fromCache')}</th>
            <th className="r">{t('usage.output')}</th>
            <th className="r">{t('tasks.cost')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const at = series.indexOf(row.key);
            const share = all === 0 ? 0 : Number(row.costUsd) / all;
            return (
              <tr key={row.key}>
                <td>
                  <span className="row">
                    <i className={`swatch series-${at === -1 ? 'other' : at + 1}`} />
                    <span className="trunc">{row.key === '' ? t('usage.none') : row.key}</span>
                  </span>
                </td>
                <td>
                  <Meter share={share} label={`${Math.round(share * 100)}%`} plain />
                </td>
                <Totals usage={row} />
              </tr>
            );
          })}
          <tr>
            <td className="strong">{t('flowTable.all')}</td>
            <td />
            <Totals usage={report.total} />
          </tr>
        </tbody>
      </table>
    </section>
  );
}

function Totals({ usage }: { usage: UsageTotals }): ReactNode {
  const prompt = promptTokens(usage);
  return (
    <>
      <td className="r">{count(usage.modelCalls)}</td>
      <td className="r">{count(prompt)}</td>
      <td className="r">{prompt === 0 ? '–' : `${Math.round((usage.cacheReadTokens / prompt) * 100)}%`}</td>
      <td className="r">{count(usage.outputTokens)}</td>
      <td className="r strong">
        <Cost usage={usage} />
      </td>
    </>
  );
}

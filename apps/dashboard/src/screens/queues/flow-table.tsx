/** Waiting and working times, of all tenants and of each. */
import { duration } from '@bullpen/client';
import type { QueueFigures, QueueView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';

export function FlowTable({ queue: { total, tenants } }: { queue: QueueView }): ReactNode {
  const t = useText();
  return (
    <section className="boxed wide-table" tabIndex={0} aria-label={t('flowTable.title')}>
      <header>
        <h2>{t('flowTable.title')}</h2>
        <span className="dim trunc">{t('flowTable.note')}</span>
      </header>
      <table className="data-table">
        <thead>
          <tr>
            <th>{t('flowTable.tenant')}</th>
            <th className="r">{t('queues.ready')}</th>
            <th className="r">{t('state.running')}</th>
            <th className="r">{t('flowTable.oldest')}</th>
            <th className="r">{t('flowTable.wait')} p50</th>
            <th className="r">p95</th>
            <th className="r">p99</th>
            <th className="r">{t('flowTable.run')} p50</th>
            <th className="r">p95</th>
            <th className="r">p99</th>
            <th className="r">{t('queues.in')}</th>
            <th className="r">{t('queues.out')}</th>
          </tr>
        </thead>
        <tbody>
          <Row name={<b className="strong">{t('flowTable.all')}</b>} figures={total} />
          {tenants.length > 1 &&
            tenants.map((figures) => (
              <Row key={figures.tenantId} name={figures.tenantId} figures={figures} />
            ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ name, figures }: { name: ReactNode; figures: QueueFigures }): ReactNode {
  const { depth, oldestReadyMs, wait, run, inPerMinute, outPerMinute } = figures;
  const spans = [oldestReadyMs, wait.p50, wait.p95, wait.p99, run.p50, run.p95, run.p99];
  return (
    <tr>
      <td>{name}</td>
      <td className="r">{depth.ready}</td>
      <td className="r">{depth.running}</td>
      {spans.map((span, index) => (
        <td className="r" key={index}>
          {span === null ? '–' : duration(span)}
        </td>
      ))}
      <td className="r">{inPerMinute.toFixed(1)}</td>
      <td className="r">{outPerMinute.toFixed(1)}</td>
    </tr>
  );
}

/** Every try to get into another mode, the refused ones included. */
import type { TransitionRow } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Clock } from '../../../ui/time.js';

export function WayTable({ history }: { history: readonly TransitionRow[] }): ReactNode {
  const t = useText();
  if (history.length === 0) return <p className="dim">{t('modes.noHistory')}</p>;
  // As on the map: what was refused is no step.
  let steps = 0;
  const numbered = history.map((row) => ({ row, step: row.to === null ? null : (steps += 1) }));
  return (
    <div className="boxed way-table" tabIndex={0} role="group" aria-label={t('modes.way')}>
      <table className="data-table">
        <thead>
          <tr>
            <th className="way-step">{t('modes.step')}</th>
            <th className="way-at">{t('path.since')}</th>
            <th>{t('modes.trigger')}</th>
            <th>{t('modes.to')}</th>
            <th>{t('modes.why')}</th>
          </tr>
        </thead>
        <tbody>
          {numbered.map(({ row, step }) => (
            <WayRow key={row.seq} row={row} step={step} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function WayRow({ row, step }: { row: TransitionRow; step: number | null }): ReactNode {
  const t = useText();
  const { at, from, trigger, to, source, by, reason, refusal } = row;
  const why = refusal ?? reason;
  return (
    <tr>
      <td className="num">{step ?? <span aria-hidden>×</span>}</td>
      <td>
        <Clock at={at} seconds />
      </td>
      <td>
        <code>{trigger}</code>
        <span className="sub">{by ?? t(`modes.source.${source}`)}</span>
      </td>
      <td>{to ?? <span className="mode-refused">{t('modes.stays', { mode: from })}</span>}</td>
      <td className="way-why">{why}</td>
    </tr>
  );
}

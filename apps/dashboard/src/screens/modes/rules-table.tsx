/** All rules of the machine: what the map draws, in words. */
import type { ModeView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { ModeLink } from './mode-link.js';

export function RulesTable({ modes }: { modes: readonly ModeView[] }): ReactNode {
  const t = useText();
  return (
    <div className="boxed rules-table" tabIndex={0} role="group" aria-label={t('modes.rules')}>
      <table className="data-table">
        <thead>
          <tr>
            <th>{t('modes.from')}</th>
            <th>{t('modes.trigger')}</th>
            <th className="r">{t('modes.priority')}</th>
            <th>{t('modes.to')}</th>
            <th>{t('modes.condition')}</th>
          </tr>
        </thead>
        <tbody>
          {modes.flatMap(({ name, rules }) =>
            rules.map(({ on, to, priority, when, means }, at) => (
              <tr key={`${name} ${at}`} title={means}>
                <td>
                  <ModeLink name={name} />
                </td>
                <td>
                  <code>{on}</code>
                </td>
                <td className="r">{priority}</td>
                <td>
                  <ModeLink name={to} />
                </td>
                <td>
                  {when === null ? <span className="dim">{t('modes.always')}</span> : t(`modes.when.${when}`)}
                </td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** How freely it works. */
import { Autonomy } from '@bullpen/contracts';
import { useId, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';

export function AutonomyCards(props: { value: Autonomy; onChange: (value: Autonomy) => void }): ReactNode {
  const { value, onChange } = props;
  const t = useText();
  const name = useId();
  return (
    <fieldset className="lab bare">
      <legend className="l">{t('new.freely')}</legend>
      <div className="cards">
        {Autonomy.options.map((each) => (
          <label key={each} className={each === value ? 'cardopt on' : 'cardopt'}>
            <span className="t">
              <input
                type="radio"
                className="check round"
                name={name}
                checked={each === value}
                onChange={() => onChange(each)}
              />
              {t(`autonomy.${each}`)}
            </span>
            <small>{t(`autonomy.${each}How`)}</small>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

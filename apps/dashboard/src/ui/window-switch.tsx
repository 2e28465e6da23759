/** A span of time, chosen of a few. */
import type { ReactNode } from 'react';
import type { TextKey } from '../i18n/keys.js';
import { useText } from '../i18n/texts.js';

type WindowName = '1h' | '6h' | '24h' | '7d' | '30d' | '90d';

export function WindowSwitch<Value extends WindowName>(props: {
  windows: readonly Value[];
  value: Value;
  onChange: (value: Value) => void;
}): ReactNode {
  const { windows, value, onChange } = props;
  const t = useText();
  return (
    <span className="seg" role="group" aria-label={t('window.label')}>
      {windows.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === value}
          title={t(`window.${each}` satisfies TextKey)}
          onClick={() => onChange(each)}
        >
          {each}
        </button>
      ))}
    </span>
  );
}

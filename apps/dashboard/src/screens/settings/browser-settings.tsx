/** How the dashboard looks and speaks in this browser. */
import { useState, type ReactNode } from 'react';
import { singleKeys } from '../../app/keys/shortcuts.js';
import { applyLook, densityChoice, themeChoice, type Theme } from '../../app/look.js';
import { switchLanguage, useLanguage, useText, type Language } from '../../i18n/texts.js';
import { Select } from '../../ui/fields.js';

export function BrowserSettings(): ReactNode {
  const t = useText();
  const language = useLanguage();
  const [theme, setTheme] = useState<Theme | 'system'>(themeChoice.read() ?? 'system');
  const [density, setDensity] = useState<'roomy' | 'compact'>(densityChoice.read() ?? 'roomy');
  const [keys, setKeys] = useState<'on' | 'off'>(singleKeys.read() ?? 'on');
  return (
    <section className="boxed" aria-label={t('settings.browser')}>
      <header>
        <h2>{t('settings.browser')}</h2>
      </header>
      <div className="cols4 pad">
        <Select<Language>
          label={t('settings.language')}
          value={language}
          options={[
            { value: 'en', label: 'English' },
            { value: 'ko', label: '한국어' },
          ]}
          onChange={switchLanguage}
        />
        <Select
          label={t('settings.theme')}
          value={theme}
          options={(['system', 'light', 'dark'] as const).map((value) => ({
            value,
            label: t(`settings.${value}`),
          }))}
          onChange={(value) => {
            setTheme(value);
            themeChoice.write(value === 'system' ? null : value);
            applyLook();
          }}
        />
        <Select
          label={t('settings.density')}
          value={density}
          options={(['roomy', 'compact'] as const).map((value) => ({ value, label: t(`settings.${value}`) }))}
          onChange={(value) => {
            setDensity(value);
            densityChoice.write(value === 'roomy' ? null : value);
            applyLook();
          }}
        />
        <Select
          label={t('settings.singleKeys')}
          hint={t('settings.singleKeysHow')}
          value={keys}
          options={(['on', 'off'] as const).map((value) => ({ value, label: t(`settings.${value}`) }))}
          onChange={(value) => {
            setKeys(value);
            singleKeys.write(value === 'on' ? null : value);
          }}
        />
      </div>
    </section>
  );
}

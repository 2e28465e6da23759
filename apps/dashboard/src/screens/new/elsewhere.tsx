/** The same from elsewhere: what to type, to be copied. */
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { CopyButton } from '../../ui/copy-button.js';
import { commandLineOf, curlOf, type NewTask } from './form.js';

export function Elsewhere({ form }: { form: NewTask }): ReactNode {
  const t = useText();
  const [how, choose] = useState<'cli' | 'curl'>('cli');
  const text = how === 'cli' ? commandLineOf(form) : curlOf(form, location.origin);
  return (
    <aside className="right" aria-label={t('new.elsewhere')}>
      <div className="row">
        <h2 className="h2 grow">{t('new.elsewhere')}</h2>
        <span className="seg" role="group" aria-label={t('new.elsewhere')}>
          {(['cli', 'curl'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={each === how} onClick={() => choose(each)}>
              {each === 'cli' ? t('new.cli') : 'curl'}
            </button>
          ))}
        </span>
      </div>
      <div className="code">
        <CopyButton text={text} />
        <code>{text}</code>
      </div>
    </aside>
  );
}

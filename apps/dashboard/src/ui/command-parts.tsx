/** The parts of a command line, each with its verdict and why. */
import type { CommandPartView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Icon } from './icon.js';

const VERDICTS = {
  approve: { look: 'fine', icon: 'check', text: 'part.fine' },
  ask: { look: 'asks', icon: 'ask', text: 'part.asks' },
  deny: { look: 'never', icon: 'x', text: 'part.never' },
} as const;

export function CommandParts({ parts }: { parts: readonly CommandPartView[] }): ReactNode {
  const t = useText();
  return (
    <ul className="parts" aria-label={t('part.label')}>
      {parts.map(({ text, decision, message }, index) => {
        const verdict = VERDICTS[decision];
        return (
          <li key={index}>
            <span className={`v ${verdict.look}`}>
              <Icon name={verdict.icon} small />
              {t(verdict.text)}
            </span>
            <code>{text}</code>
            <span className="why">{message}</span>
          </li>
        );
      })}
    </ul>
  );
}

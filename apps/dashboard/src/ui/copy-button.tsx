/** Copies a text, and says whether it did. */
import { useState, type ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { IconButton } from './button.js';
import { copyText } from './copy.js';

const SAYS_MS = 1_500;

export function CopyButton({ text, label }: { text: string; label?: string }): ReactNode {
  const t = useText();
  const [did, say] = useState<'copied' | 'refused' | null>(null);
  const copy = async (): Promise<void> => {
    say((await copyText(text)) ? 'copied' : 'refused');
    setTimeout(() => say(null), SAYS_MS);
  };
  return (
    <span className="row">
      {did !== null && (
        <span role="status" className="dim">
          {t(`copy.${did}`)}
        </span>
      )}
      <IconButton
        icon={did === 'copied' ? 'check' : 'copy'}
        small
        label={label ?? t('copy.copy')}
        onClick={() => void copy()}
      />
    </span>
  );
}

/** Where one types what is sought in a transcript. */
import { useEffect, useRef, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { IconButton } from '../../../ui/button.js';
import { useSubmitKey } from '../../../ui/use-submit-key.js';
import type { Find } from './use-find.js';

export function FindBar({ find, onClose }: { find: Find; onClose: () => void }): ReactNode {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  const keys = useSubmitKey(() => find.step(-1));
  useEffect(() => field.current?.focus(), []);
  const { query, matches, at, isBusy } = find;
  return (
    <div className="find" role="search">
      <input
        ref={field}
        className="field"
        type="search"
        value={query}
        placeholder={t('find.placeholder')}
        aria-label={t('find.placeholder')}
        onChange={({ target }) => find.seek(target.value)}
        {...keys}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onClose();
          else if (event.key === 'Enter' && event.shiftKey) find.step(1);
          else keys.onKeyDown(event);
        }}
      />
      <span className="dim num" role="status">
        {isBusy ? t('find.busy') : query === '' ? '' : t('find.count', { at: at + 1, n: matches.length })}
      </span>
      <IconButton
        icon="up"
        small
        label={t('find.before')}
        disabled={matches.length === 0}
        onClick={() => find.step(-1)}
      />
      <IconButton
        icon="down"
        small
        label={t('find.after')}
        disabled={matches.length === 0}
        onClick={() => find.step(1)}
      />
      <IconButton icon="x" small label={t('find.close')} onClick={onClose} />
    </div>
  );
}

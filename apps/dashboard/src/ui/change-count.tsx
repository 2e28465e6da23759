/** How much was changed: `+12 −3`. */
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';

/** Null: it is no text, so that there are no lines. */
export function ChangeCount(props: { insertions: number | null; deletions: number | null }): ReactNode {
  const { insertions, deletions } = props;
  const t = useText();
  if (insertions === null || deletions === null) return <span className="dim">{t('diff.noTextShort')}</span>;
  return (
    <span className="num" aria-label={t('diff.count', { insertions, deletions })}>
      {insertions > 0 && <span className="plus">+{insertions}</span>}
      {insertions > 0 && deletions > 0 && ' '}
      {deletions > 0 && <span className="minus">−{deletions}</span>}
    </span>
  );
}

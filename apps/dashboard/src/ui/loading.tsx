/** Rows that are still read: nothing for a moment, then their shape. */
import { useEffect, useState, type ReactNode } from 'react';
import { useText } from '../i18n/texts.js';

const QUIET_MS = 200;
const WIDTHS = ['w-[62%]', 'w-[48%]', 'w-[55%]'];

export function Loading({ rows }: { rows: number }): ReactNode {
  const t = useText();
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), QUIET_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isSlow) return null;
  return (
    <div role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <div className="skel-row" key={index}>
          <span className={`skel ${WIDTHS[index % WIDTHS.length] ?? ''}`} />
        </div>
      ))}
    </div>
  );
}

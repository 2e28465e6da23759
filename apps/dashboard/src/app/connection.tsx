/** How the connection stands. For three seconds nothing is said: most breaks are over by then. */
import { useEffect, useState, type ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Icon } from '../ui/icon.js';
import { useConnection } from './live/live-context.js';

const SAY_AFTER_MS = 3_000;

/** When it was lost; null while it is there, or has been gone for a moment only. */
function useLostSince(): Date | null {
  const state = useConnection();
  const [since, setSince] = useState<Date | null>(null);
  useEffect(() => {
    if (state === 'signed_out') location.assign('/login');
    if (state === 'live') {
      setSince(null);
      return;
    }
    const lostAt = new Date();
    const timer = setTimeout(() => setSince(lostAt), SAY_AFTER_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return since;
}

export function ConnectionMark(): ReactNode {
  const t = useText();
  const isLost = useLostSince() !== null;
  return (
    <div className="conn" role="status">
      <span className={isLost ? 'dot lost' : 'dot'} />
      <span className="label">{t(isLost ? 'live.again' : 'live.on')}</span>
    </div>
  );
}

export function StaleNote(): ReactNode {
  const t = useText();
  const since = useLostSince();
  if (since === null) return null;
  return (
    <div className="note waiting stale" role="status">
      <Icon name="waiting" />
      <span className="grow">
        <b>{t('live.again')}.</b> {t('live.seenAt', { time: since.toLocaleTimeString() })}
      </span>
    </div>
  );
}
